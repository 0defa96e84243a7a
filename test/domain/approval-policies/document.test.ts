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
const rules = (count: number, ruleOf: (index: number) => object): object => ({
  ...whole,
  rules: Array.from({ length: count }, (_, index) => ({ ...rule, id: `r${index}`, ...ruleOf(index) })),
});
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

  test.each<[string, unknown, string]>([
    ['a member that is not known', { ...whole, owner: 'me' }, 'document.owner'],
    ['one in a rule', withRule({ action: 'x' }), 'rule.action'],
    ['one in match', withRule({ match: { action: ['x'] } }), 'rule.match.action'],
    ['one in approval', withApproval({ approver: {} }), 'rule.approval.approver'],
    ['one in approvers', withApproval({ approvers: { groups: ['x'] } }), 'rule.approval.approvers.groups'],
    ['another schema', { ...whole, schema: 'approval-policy/v2' }, 'document.schema'],
    ['no rules', { ...whole, rules: [] }, 'document.rules'],
    ['201 rules', rules(201, () => ({})), 'document.rules'],
    ['a rule without match', { ...whole, rules: [{ id: 'a', effect: 'deny' }] }, 'rule.match'],
    ['an id twice', { ...whole, rules: [rule, { ...rule, id: 'other' }, rule] }, 'document.rules[2].id'],
    ['an id with a space', withRule({ id: 'a b' }), 'rule.id'],
    ['an effect that is not known', withRule({ effect: 'ask' }), 'rule.effect'],
    ['an approval for a denial', withRule({ approval: {} }), 'rule.approval'],
    ['a criterion that names nothing', withRule({ match: { tags: [] } }), 'rule.match.tags'],
    ['an action in capitals', withRule({ match: { actions: ['Refund.*'] } }), 'rule.match.actions[0]'],
    ['an action by its id', withRule({ match: { actions: ['act_0351WJgf5L0hHBZMXuYT60'] } }), 'rule.match.actions[0]'],
    ['an adapter in capitals', withRule({ match: { adapters: ['Stripe.*'] } }), 'rule.match.adapters[0]'],
    ['a glob of 129 characters', withRule({ match: { tags: ['a'.repeat(129)] } }), 'rule.match.tags[0]'],
    ['51 globs', withRule({ match: { tags: Array.from({ length: 51 }, () => 'a') } }), 'rule.match.tags'],
    ['approvers that name nobody', withApproval({ approvers: { users: [] } }), 'rule.approval.approvers.users'],
    ['a role that is not known', withApproval({ approvers: { roles: ['boss'] } }), 'rule.approval.approvers.roles[0]'],
    ['a quorum of 0', withApproval({ quorum: 0 }), 'rule.approval.quorum'],
    ['a quorum of 11', withApproval({ quorum: 11 }), 'rule.approval.quorum'],
    ['half a quorum', withApproval({ quorum: 1.5 }), 'rule.approval.quorum'],
    ['an expiry of 59 seconds', withApproval({ expiresIn: 'PT59S' }), 'rule.approval.expiresIn'],
    ['an expiry of more than 30 days', withApproval({ expiresIn: 'P30DT1S' }), 'rule.approval.expiresIn'],
    ['an expiry that is no duration', withApproval({ expiresIn: '24h' }), 'rule.approval.expiresIn'],
    ['another end', withApproval({ onExpiry: 'allow' }), 'rule.approval.onExpiry'],
    ['a name with a line break', { ...whole, name: 'a\nb' }, 'document.name'],
    ['a name that turns the text around', { ...whole, name: 'a\u202eb' }, 'document.name'],
    ['a condition that is no CEL', withRule({ when: 'input.amount >' }), 'rule.when'],
    ['a number for a condition', withRule({ when: '1 + 1' }), 'rule.when'],
    ['a condition of 2,001 characters', withRule({ when: `true ${' '.repeat(1_996)}` }), 'rule.when'],
    [
      'conditions of more than 32,000 characters',
      rules(17, () => ({ when: `"${'x'.repeat(1_950)}" == ""` })),
      'document.rules',
    ],
    [
      'patterns of more than 5,000 instructions',
      rules(9, (i) => ({ when: `input.a.matches("a{900}${i}")` })),
      'document.rules[5].when',
    ],
    ['more than 128 KiB as an object', { ...whole, name: 'x'.repeat(DOCUMENT_BYTES_MAX) }, 'document'],
    ['a list', [], 'document'],
    ['null', null, 'document'],
  ])('is refused with %s', (_, value, place) => {
    expect(pathsOf(value)).toEqual([place.replace(/^rule\b/, 'document.rules[0]')]);
  });

  test('is refused with the place of every condition that is wrong', () => {
    const conditions = ['true', 'inptu.a == 1', 'true', 'environment.knd == "x"'];
    expect(issuesOf(rules(4, (i) => ({ when: conditions[i] })))).toEqual([
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
