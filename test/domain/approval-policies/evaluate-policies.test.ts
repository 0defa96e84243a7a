import { describe, expect, test } from 'vitest';
import { evaluatePolicies } from '../../../domain/approval-policies/evaluate-policies.ts';
import { matchesGlob } from '../../../domain/glob.ts';
import { policySetInSteps } from '../../../domain/approval-policies/policy-set.ts';
import type { PolicyDefaults, PolicyFacts } from '../../../domain/approval-policies/verdict.ts';
import { documentOf, FACTS, NO_DEFAULTS, verdictOf, type TestPolicy } from './support.ts';

const allow = (id = 'allow'): object => ({ id, match: {}, effect: 'allow' });
const deny = (id = 'deny'): object => ({ id, match: {}, effect: 'deny' });
const ask = (id = 'ask', approval: object = {}): object => ({ id, match: {}, effect: 'require_approval', approval });
const never = { when: 'input.amount < 0' };
const broken = { when: 'input.absent > 1' };

describe('which rule decides', () => {
  test.each<[string, TestPolicy[], [effect: string, ruleId: string | null]]>([
    ['the only rule', [{ rules: [deny()] }], ['deny', 'deny']],
    ['the first of a policy, were the next stricter', [{ rules: [allow(), deny()] }], ['allow', 'allow']],
    ['the first that matches', [{ rules: [{ ...deny(), ...never }, ask()] }], ['require_approval', 'ask']],
    [
      'not a rule for something else',
      [{ rules: [{ ...deny(), match: { actions: ['x'] } }, ask()] }],
      ['require_approval', 'ask'],
    ],
    ['deny over require_approval', [{ rules: [ask()] }, { rules: [deny()] }], ['deny', 'deny']],
    ['require_approval over allow', [{ rules: [ask()] }, { rules: [allow()] }], ['require_approval', 'ask']],
    [
      'deny over all, whatever the priority',
      [{ priority: 99, rules: [allow()] }, { priority: -9, rules: [deny()] }, { rules: [ask()] }],
      ['deny', 'deny'],
    ],
    [
      'of equal effects the higher priority',
      [
        { name: 'A', priority: 1, rules: [deny('low')] },
        { name: 'B', priority: 2, rules: [deny('high')] },
      ],
      ['deny', 'high'],
    ],
    [
      'of equal priorities the name that comes first',
      [
        { name: 'B', rules: [deny('b')] },
        { name: 'A', rules: [deny('a')] },
      ],
      ['deny', 'a'],
    ],
    ['an allow by a rule over the action and the default', [{ rules: [allow()] }], ['allow', 'allow']],
    ['no rule where none matches', [{ rules: [{ ...deny(), ...never }] }], ['require_approval', null]],
    [
      'a condition that fails denies',
      [{ rules: [{ ...allow(), ...broken }, allow('next')] }, { rules: [ask()] }],
      ['deny', 'allow'],
    ],
    [
      'and is not looked at where the match does not hold',
      [{ rules: [{ ...allow(), ...broken, match: { actions: ['x'] } }, ask()] }],
      ['require_approval', 'ask'],
    ],
    ['nor after the rule that decided', [{ rules: [ask(), { ...deny(), ...broken }] }], ['require_approval', 'ask']],
  ])('%s', (_, policies, [effect, ruleId]) => {
    const verdict = verdictOf(policies, {}, { approvalRequired: true });
    expect([verdict.effect, verdict.ruleId]).toEqual([effect, ruleId]);
    const named = verdict.policyId !== null && verdict.version !== null;
    expect([named, verdict.source]).toEqual(ruleId === null ? [false, 'action'] : [true, 'policy']);
    expect(verdict.terms === null).toBe(effect !== 'require_approval');
    expect(verdict.refusal === null).toBe(effect !== 'deny');
  });

  test('and by which code it is refused', () => {
    expect(verdictOf([{ rules: [deny()] }]).refusal?.code).toBe('policy_denied');
    expect(verdictOf([{ rules: [{ ...deny(), ...broken }] }]).refusal?.code).toBe('policy_evaluation_error');
    const both = (first: TestPolicy, second: TestPolicy): unknown => verdictOf([first, second]).refusal?.code;
    const failing = { name: 'F', rules: [{ ...allow(), ...broken }] };
    expect(both({ name: 'A', rules: [deny()] }, failing)).toBe('policy_denied');
    expect(both({ name: 'Z', rules: [deny()] }, failing)).toBe('policy_evaluation_error');
  });
});

describe('what decides where no rule matches', () => {
  const production = FACTS.environment;
  test.each<[string, Partial<PolicyDefaults>, Partial<PolicyFacts>, [string, string]]>([
    ['the action', { approvalRequired: true, approvalDefault: 'allow' }, {}, ['require_approval', 'action']],
    ["the environment's default", { approvalDefault: 'allow' }, {}, ['allow', 'environment']],
    [
      "the environment's default, of ungoverned actions too",
      { approvalDefault: 'require_approval' },
      { action: { ...FACTS.action, governed: false } },
      ['require_approval', 'environment'],
    ],
    ['governed, in production', {}, {}, ['require_approval', 'environment']],
    ['not governed, in production', {}, { action: { ...FACTS.action, governed: false } }, ['allow', 'environment']],
    ['governed, in staging', {}, { environment: { ...production, kind: 'staging' } }, ['allow', 'environment']],
    ['governed, in development', {}, { environment: { ...production, kind: 'development' } }, ['allow', 'environment']],
  ])('%s', (_, defaults, facts, expected) => {
    const verdict = verdictOf([{ rules: [{ ...deny(), ...never }] }], facts, defaults);
    expect([verdict.effect, verdict.source]).toEqual(expected);
    expect(verdict).toMatchObject({ policyId: null, version: null, ruleId: null, refusal: null });
    const terms = {
      quorum: 1,
      approvers: {},
      approversOfAll: [{}],
      preventSelf: true,
      expiresInSeconds: 86_400,
      onExpiry: 'deny',
    };
    expect(verdict.terms).toEqual(expected[0] === 'allow' ? null : terms);
    expect(verdict.reason).not.toBe('');
  });
});

describe('match', () => {
  const key = FACTS.caller;
  test.each<[object, Partial<PolicyFacts>, boolean]>([
    [{}, {}, true],
    [{ actions: ['refund-*'] }, {}, true],
    [{ actions: ['refund'] }, {}, false],
    [{ tags: ['MON*'] }, {}, false],
    [{ actions: ['x', '*-customer'] }, {}, true],
    [{ actions: ['act_1'] }, {}, false],
    [{ adapters: ['stripe.*'] }, {}, true],
    [{ adapters: ['stripe?refund'] }, {}, true],
    [{ adapters: ['1'] }, {}, false],
    [{ agents: ['agent-?'] }, {}, true],
    [{ agents: ['*'] }, { caller: { ...key, agentId: null } }, false],
    [{ keys: ['key_1'] }, {}, true],
    [{ keys: ['support-*'] }, {}, true],
    [{ keys: ['key_2', 'sales-*'] }, {}, false],
    [{ keys: ['*'] }, { caller: { type: 'user', id: 'key_1', name: 'support-bot', agentId: null } }, false],
    [{ tags: ['mon*'] }, {}, true],
    [{ tags: ['*'] }, { action: { ...FACTS.action, tag: null } }, false],
    [{ actions: ['refund-*'], tags: ['email'] }, {}, false],
    [{ actions: ['refund-*'], adapters: ['*'], agents: ['*'], keys: ['*'], tags: ['*'] }, {}, true],
  ])('%j', (match, facts, holds) => {
    const verdict = verdictOf([{ rules: [{ id: 'r', match, effect: 'deny' }] }], facts);
    expect(verdict.effect === 'deny').toBe(holds);
    expect(verdict.trace[0]?.outcome).toBe(holds ? 'matched' : 'not_matched');
  });

  test.each<[string, string, boolean]>([
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['?', '', false],
    ['a*b*c', 'aXXbYYc', true],
    ['a*b*c', 'aXXbYY', false],
    ['*ab', 'aab', true],
    ['*a?c', 'abcabc', true],
    ['a.c', 'abc', false],
    ['[ab]', 'a', false],
    ['a**', 'a', true],
  ])('the glob %j of %j', (glob, text, matches) => {
    expect(matchesGlob(glob, text)).toBe(matches);
  });
});

describe('where several policies require an approval', () => {
  const first = ask('first', { quorum: 2, approvers: { roles: ['owner'] }, preventSelf: false, expiresIn: 'P2D' });
  const second = ask('second', {
    quorum: 1,
    approvers: { users: ['usr_1'], keys: ['on-call'] },
    preventSelf: false,
    expiresIn: 'PT1H',
  });
  const third = ask('third', { quorum: 3, approvers: { roles: ['owner'] }, expiresIn: 'P1D' });

  test('the strictest of their terms hold, and an approver must do for them all', () => {
    const verdict = verdictOf([
      { name: 'A', priority: 3, rules: [first] },
      { name: 'B', priority: 2, rules: [second] },
      { name: 'C', priority: 1, rules: [third] },
      { name: 'D', priority: 9, rules: [allow()] },
    ]);
    expect(verdict).toMatchObject({ effect: 'require_approval', ruleId: 'first' });
    expect(verdict.terms).toEqual({
      quorum: 3,
      approvers: { roles: ['owner'] },
      approversOfAll: [{ roles: ['owner'] }, { users: ['usr_1'], keys: ['on-call'] }],
      preventSelf: true,
      expiresInSeconds: 3_600,
      onExpiry: 'deny',
    });
    expect(verdict.reason).toBe('Rule first of policy A requires 3 approvals.');
  });

  test('one rule alone has its own', () => {
    expect(verdictOf([{ rules: [second] }]).terms).toEqual({
      quorum: 1,
      approvers: { users: ['usr_1'], keys: ['on-call'] },
      approversOfAll: [{ users: ['usr_1'], keys: ['on-call'] }],
      preventSelf: false,
      expiresInSeconds: 3_600,
      onExpiry: 'deny',
    });
  });
});

describe('the reason', () => {
  test.each<[string, TestPolicy[], string]>([
    [
      'of an approval',
      [{ name: 'Refunds', rules: [{ ...ask('large-refunds', { quorum: 2 }), when: 'input.amount > 50000' }] }],
      'Rule large-refunds of policy Refunds requires 2 approvals: input.amount is 60000.',
    ],
    [
      'of an approval for the impact as a whole, in words',
      [
        {
          name: 'Refunds',
          rules: [{ ...ask('large'), when: 'impact.exists(i, i.dimension == "money" && i.amount > 50000)' }],
        },
      ],
      'Rule large of policy Refunds requires an approval: moving 600.00 USD and using at most 2 emails.',
    ],
    [
      'of a denial, single values first',
      [
        {
          name: 'Refunds',
          rules: [{ ...deny('no-live'), when: 'input.items.size() > 1 && environment.kind == "production"' }],
        },
      ],
      'Rule no-live of policy Refunds denies it: environment.kind is "production", input.items is [{"id":"a","count":1},{"id":"b","count":2}].',
    ],
    [
      'of one without a condition',
      [{ name: 'Refunds', rules: [ask('all')] }],
      'Rule all of policy Refunds requires an approval.',
    ],
    [
      'of a failure',
      [{ name: 'Refunds', rules: [{ ...ask('odd'), when: 'input.items[9].id == "a"' }] }],
      'Rule odd of policy Refunds could not be evaluated, so that it is denied: index 9 is out of bounds.',
    ],
    [
      'of the default',
      [],
      'No policy has a rule for this request, and by default a governed action requires an approval in production.',
    ],
  ])('%s', (_, policies, reason) => {
    const verdict = verdictOf(policies);
    expect(verdict.reason).toBe(reason);
    expect(verdict.refusal?.message ?? reason).toBe(reason);
  });

  test('is short however long the values are', () => {
    const input = { note: 'n'.repeat(50_000), list: Array.from({ length: 5_000 }, (_, index) => ({ index })) };
    const verdict = verdictOf(
      [{ rules: [{ ...deny(), when: 'input.note != "" && input.list.size() > 1 && has(input.list)' }] }],
      { input },
    );
    expect(verdict.reason.length).toBeLessThan(300);
    expect(Object.values(verdict.trace[0]?.values ?? {}).every((shown) => shown.length <= 120)).toBe(true);
  });
});

test('the trace has every rule that was looked at, in order, with what it saw', () => {
  const verdict = verdictOf([
    {
      name: 'B',
      rules: [
        { id: 'one', match: { actions: ['mail-*'] }, effect: 'deny' },
        { id: 'two', match: {}, when: 'input.amount < 100', effect: 'allow' },
        {
          id: 'three',
          match: { tags: ['money'] },
          when: 'input.amount > 100 && !has(input.absent)',
          effect: 'require_approval',
        },
        deny('four'),
      ],
    },
    {
      name: 'A',
      rules: [
        {
          id: 'five',
          match: {},
          when: 'now > timestamp("2000-01-01T00:00:00Z") && input.ratio * 2 > 1',
          effect: 'allow',
        },
      ],
    },
  ]);
  const policy = { policyId: 'pol_0', policyName: 'B', version: 1 };
  expect(verdict.trace).toEqual([
    {
      policyId: 'pol_1',
      policyName: 'A',
      version: 2,
      ruleId: 'five',
      outcome: 'error',
      effect: 'allow',
      detail: expect.stringContaining('no matching overload') as string,
      values: { now: '2026-03-29T01:30:00.250Z', 'input.ratio': '0.5' },
    },
    {
      ...policy,
      ruleId: 'one',
      outcome: 'not_matched',
      effect: 'deny',
      detail: 'match.actions: refund-customer, wanted mail-*',
      values: {},
    },
    {
      ...policy,
      ruleId: 'two',
      outcome: 'condition_false',
      effect: 'allow',
      detail: 'input.amount < 100 is false',
      values: { 'input.amount': '60000' },
    },
    {
      ...policy,
      ruleId: 'three',
      outcome: 'matched',
      effect: 'require_approval',
      detail: null,
      values: { 'input.amount': '60000', 'input.absent': '(absent)' },
    },
  ]);
});

test('policies that are compiled in steps decide the same, and others may have a turn after each rule', () => {
  const rules = [{ ...deny('never'), ...never }, ask(), deny()];
  const policies = ['A', 'B'].map((name) => {
    return { id: `pol_${name}`, name, priority: 0, version: 1, document: documentOf(rules, name) };
  });
  const steps = policySetInSteps(policies);
  let turns = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) turns++;
  expect(turns).toBe(6);
  const { policyId, ruleId } = evaluatePolicies(step.value, FACTS, NO_DEFAULTS);
  expect([policyId, ruleId]).toEqual(['pol_A', 'ask']);
});
