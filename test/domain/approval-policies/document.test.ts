import { describe, expect, test } from 'vitest';
import { parsePolicyDocument } from '../../../domain/approval-policies/document.ts';
import { DOCUMENT_BYTES_MAX } from '../../../domain/approval-policies/document-text.ts';
import { isoDurationSeconds } from '../../../domain/approval-policies/durations.ts';

const rule = { id: 'large', match: {}, effect: 'deny' };
const whole = { schema: 'approval-policy/v1', name: 'Refunds', priority: 5, rules: [rule] };

function issuesOf(value: unknown): { path: string; message: string }[] {
  const parsed = parsePolicyDocument(value);
  return parsed.ok ? [] : parsed.issues;
}
const pathsOf = (value: unknown): string[] => issuesOf(value).map(({ path }) => path);
const withRule = (changes: object): object => ({ ...whole, rules: [{ ...rule, ...changes }] });
const withApproval = (approval: object): object => withRule({ effect: 'require_approval', approval });

describe('a policy document', () => {
  test('is taken as YAML, as JSON and as an object alike', () => {
    const yaml = `
schema: approval-policy/v1
name: Refunds
priority: 5
rules:
  - id: large
    match: { actions: [refund-*], tags: [money] }
    when: input.amount > 50000
    effect: require_approval
    approval: { quorum: 2, approvers: { roles: [admin], users: [ann@example.com], keys: [on-call] }, expiresIn: PT4H }
`;
    const parsed = parsePolicyDocument(yaml);
    expect(parsed).toEqual({
      ok: true,
      document: {
        schema: 'approval-policy/v1',
        name: 'Refunds',
        priority: 5,
        rules: [
          {
            id: 'large',
            match: { actions: ['refund-*'], tags: ['money'] },
            when: 'input.amount > 50000',
            effect: 'require_approval',
            approval: {
              quorum: 2,
              approvers: { roles: ['admin'], users: ['ann@example.com'], keys: ['on-call'] },
              preventSelf: true,
              expiresIn: 'PT4H',
              onExpiry: 'deny',
            },
          },
        ],
      },
    });
    const document = parsed.ok ? parsed.document : {};
    expect(parsePolicyDocument(JSON.stringify(document))).toEqual(parsed);
    expect(parsePolicyDocument(document)).toEqual(parsed);
  });

  test('has the documented defaults', () => {
    const parsed = parsePolicyDocument({
      ...whole,
      priority: undefined,
      rules: [{ ...rule, effect: 'require_approval', approval: {} }],
    });
    expect(parsed).toMatchObject({
      document: {
        priority: 0,
        rules: [{ approval: { quorum: 1, approvers: {}, preventSelf: true, expiresIn: 'PT24H', onExpiry: 'deny' } }],
      },
    });
  });

  test.each<[string, unknown, string[]]>([
    ['a member that is not known', { ...whole, owner: 'me' }, ['document.owner']],
    ['one in a rule', withRule({ action: 'x' }), ['document.rules[0].action']],
    ['one in match', withRule({ match: { action: ['x'] } }), ['document.rules[0].match.action']],
    ['one in approval', withApproval({ approver: {} }), ['document.rules[0].approval.approver']],
    [
      'one in approvers',
      withApproval({ approvers: { groups: ['x'] } }),
      ['document.rules[0].approval.approvers.groups'],
    ],
    ['another schema', { ...whole, schema: 'approval-policy/v2' }, ['document.schema']],
    ['no rules', { ...whole, rules: [] }, ['document.rules']],
    [
      '201 rules',
      { ...whole, rules: Array.from({ length: 201 }, (_, i) => ({ ...rule, id: `r${i}` })) },
      ['document.rules'],
    ],
    ['a rule without match', { ...whole, rules: [{ id: 'a', effect: 'deny' }] }, ['document.rules[0].match']],
    ['an id twice', { ...whole, rules: [rule, { ...rule, id: 'other' }, rule] }, ['document.rules[2].id']],
    ['an id with a space', withRule({ id: 'a b' }), ['document.rules[0].id']],
    ['an effect that is not known', withRule({ effect: 'ask' }), ['document.rules[0].effect']],
    ['an approval for a denial', withRule({ approval: {} }), ['document.rules[0].approval']],
    ['a criterion that names nothing', withRule({ match: { tags: [] } }), ['document.rules[0].match.tags']],
    ['an action in capitals', withRule({ match: { actions: ['Refund.*'] } }), ['document.rules[0].match.actions[0]']],
    [
      'an action by its id',
      withRule({ match: { actions: ['act_0351WJgf5L0hHBZMXuYT60'] } }),
      ['document.rules[0].match.actions[0]'],
    ],
    [
      'an adapter in capitals',
      withRule({ match: { adapters: ['Stripe.*'] } }),
      ['document.rules[0].match.adapters[0]'],
    ],
    ['a glob of 129 characters', withRule({ match: { tags: ['a'.repeat(129)] } }), ['document.rules[0].match.tags[0]']],
    [
      '51 globs',
      withRule({ match: { tags: Array.from({ length: 51 }, () => 'a') } }),
      ['document.rules[0].match.tags'],
    ],
    [
      'approvers that name nobody',
      withApproval({ approvers: { users: [] } }),
      ['document.rules[0].approval.approvers.users'],
    ],
    [
      'a role that is not known',
      withApproval({ approvers: { roles: ['boss'] } }),
      ['document.rules[0].approval.approvers.roles[0]'],
    ],
    ['a quorum of 0', withApproval({ quorum: 0 }), ['document.rules[0].approval.quorum']],
    ['a quorum of 11', withApproval({ quorum: 11 }), ['document.rules[0].approval.quorum']],
    ['half a quorum', withApproval({ quorum: 1.5 }), ['document.rules[0].approval.quorum']],
    ['an expiry of 59 seconds', withApproval({ expiresIn: 'PT59S' }), ['document.rules[0].approval.expiresIn']],
    [
      'an expiry of more than 30 days',
      withApproval({ expiresIn: 'P30DT1S' }),
      ['document.rules[0].approval.expiresIn'],
    ],
    ['an expiry that is no duration', withApproval({ expiresIn: '24h' }), ['document.rules[0].approval.expiresIn']],
    ['another end', withApproval({ onExpiry: 'allow' }), ['document.rules[0].approval.onExpiry']],
    ['a name with a line break', { ...whole, name: 'a\nb' }, ['document.name']],
    ['a name that turns the text around', { ...whole, name: 'a\u202eb' }, ['document.name']],
    ['a condition that is no CEL', withRule({ when: 'input.amount >' }), ['document.rules[0].when']],
    ['a number for a condition', withRule({ when: '1 + 1' }), ['document.rules[0].when']],
    ['a condition of 2,001 characters', withRule({ when: `true ${' '.repeat(1_996)}` }), ['document.rules[0].when']],
    [
      'conditions of more than 32,000 characters',
      {
        ...whole,
        rules: Array.from({ length: 17 }, (_, i) => ({ ...rule, id: `r${i}`, when: `"${'x'.repeat(1_950)}" == ""` })),
      },
      ['document.rules'],
    ],
    [
      'patterns of more than 5,000 instructions',
      {
        ...whole,
        rules: Array.from({ length: 9 }, (_, i) => ({ ...rule, id: `r${i}`, when: `input.a.matches("a{900}${i}")` })),
      },
      ['document.rules[5].when'],
    ],
    ['more than 128 KiB as an object', { ...whole, name: 'x'.repeat(DOCUMENT_BYTES_MAX) }, ['document']],
    ['a list', [], ['document']],
    ['null', null, ['document']],
  ])('is refused with %s', (_, value, paths) => {
    expect(pathsOf(value)).toEqual(paths);
  });

  test('is refused with the place of every condition that is wrong', () => {
    const rules = ['true', 'inptu.a == 1', 'true', 'environment.knd == "x"'].map((when, i) => ({
      ...rule,
      id: `r${i}`,
      when,
    }));
    expect(issuesOf({ ...whole, rules })).toEqual([
      { path: 'document.rules[1].when', message: expect.stringContaining('unknown name inptu') as string },
      { path: 'document.rules[3].when', message: expect.stringContaining('unknown member knd') as string },
    ]);
  });

  test.each([
    ['P30D', 2_592_000],
    ['PT1M', 60],
    ['P1DT2H3M4S', 93_784],
    ['P2W', 1_209_600],
  ])('may say %s', (expiresIn, seconds) => {
    expect(isoDurationSeconds(expiresIn)).toBe(seconds);
    expect(pathsOf(withApproval({ expiresIn }))).toEqual([]);
  });

  test.each(['', 'P', 'PT', 'P1Y', 'P1M', '-P1D', 'P1DT', 'PT1.5H', 'pt1h', 'P1D ', 'PT1H\n'])(
    'has no duration %j',
    (text) => {
      expect(isoDurationSeconds(text)).toBeNull();
    },
  );
});

describe('the text of a policy document', () => {
  const padded = `# ${'x'.repeat(DOCUMENT_BYTES_MAX)}\n`;

  test.each<[string, string, RegExp]>([
    ['an alias', 'a: &x [1]\nb: *x', /alias/i],
    ['aliases that grow', 'a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]', /alias/i],
    ['a tag', 'name: !!js/function "x"', /tag/],
    ['two documents', 'a: 1\n---\nb: 2', /single document/],
    ['a key twice', '{"name": "a", "name": "b"}', /duplicated/],
    ['brackets without end', '['.repeat(100_000), /depth/i],
    ['more than 128 KiB', padded, /longer than 131072 bytes/],
    ['nothing', '', /empty/],
    ['a broken line', 'a: [1', /line 1/],
  ])('is refused with %s', (_, text, message) => {
    const [issue, ...others] = issuesOf(text);
    expect(issue?.path).toBe('document');
    expect(issue?.message).toMatch(message);
    expect(others).toEqual([]);
  });

  test('cannot give an object a prototype', () => {
    expect(pathsOf(`{"__proto__": {"schema": "approval-policy/v1"}, "name": "x"}`)).toContain('document.__proto__');
  });

  test('has its issues under the root that is asked for', () => {
    const parsed = parsePolicyDocument('name: 1', 'body.files[3].content');
    expect(parsed.ok ? [] : parsed.issues.map(({ path }) => path)).toContain('body.files[3].content.name');
  });
});
