import { describe, expect, test } from 'vitest';
import type { PolicyVerdict } from '../../../domain/approval-policies/verdict.ts';
import type { GivenApproval } from '../../../domain/invocations/consent.ts';
import { judgedDependencies, withdrawnWithRun } from '../../../domain/invocations/dependencies.ts';
import { type Facts, judge, NOTHING_KNOWN, refusalBy, RULES } from '../../../domain/invocations/judgement.ts';
import type { Refusal, RefusalCode } from '../../../domain/refusals.ts';
import { randomFrom } from '../../harness/random.ts';
import { CONDITIONS, type Condition, nameOf, REMEDY, ruled, type Situation, situations } from './situations.ts';

const refusal = (code: RefusalCode): Refusal => ({ code, message: code });
const verdict = (effect: PolicyVerdict['effect'], more: Partial<PolicyVerdict> = {}): PolicyVerdict => ({
  effect,
  source: 'policy',
  policyId: 'pol_1',
  version: 1,
  ruleId: 'rule',
  terms:
    effect === 'require_approval'
      ? { quorum: 1, approvers: {}, approversOfAll: [{}], preventSelf: true, expiresInSeconds: 60, onExpiry: 'deny' }
      : null,
  reason: 'the rule says so',
  refusal: effect === 'deny' ? refusal('policy_denied') : null,
  trace: [],
  ...more,
});
const ALLOWED: Facts = { ...NOTHING_KNOWN, impact: { ok: true, quantities: [] }, verdict: verdict('allow') };

/** The facts of a situation. */
function factsOf(situation: Situation): Facts {
  const has = (condition: Condition): boolean => situation.includes(condition);
  const asks = has('asked') || has('default');
  return {
    ...ALLOWED,
    halt: has('halted') ? 'the provider is down' : null,
    action: { name: 'refund', isArchived: has('archived') },
    request: has('blocked') ? refusal('destination_blocked') : null,
    impact: has('unbounded') ? { ok: false, refusal: refusal('impact_unbounded') } : { ok: true, quantities: [] },
    verdict: has('unbounded') ? null : verdict(has('denied') ? 'deny' : asks ? 'require_approval' : 'allow'),
    missingSecrets: has('secret') ? ['KEY'] : [],
    limits: has('short') ? refusal('impact_limit_exceeded') : null,
  };
}

const outcomeOf = (facts: Facts): string => {
  const judgement = judge(facts);
  return judgement.next === 'refuse' ? judgement.refusal.code : judgement.next;
};

test('rules as the table of situations says, for every subset of the conditions', () => {
  const all = situations(CONDITIONS, CONDITIONS.length);
  expect(all).toHaveLength(2 ** CONDITIONS.length);
  const judged = Object.fromEntries(all.map((situation) => [nameOf(situation), outcomeOf(factsOf(situation))]));
  const wanted = Object.fromEntries(all.map((situation) => [nameOf(situation), ruled(situation)]));
  expect(judged, REMEDY).toEqual(wanted);
});

/** Facts that refuse by one rule each, and nothing else. */
const REFUSING: Record<string, Partial<Facts>> = {
  halted: { halt: 'down' },
  archived: { action: { name: 'refund', isArchived: true } },
  requester: { requester: refusal('requester_revoked') },
  request: { request: refusal('digest_mismatch') },
  provider: { provider: refusal('mode_mismatch') },
  impact: { impact: { ok: false, refusal: refusal('impact_unbounded') } },
  policies: { verdict: verdict('deny') },
  binding: { binding: refusal('preview_expired') },
  secrets: { missingSecrets: ['KEY'] },
  files: { files: refusal('attachment_changed') },
  dependencies: { dependencies: { awaited: [], refusal: refusal('dependency_unsettled') } },
  limits: { limits: refusal('impact_limit_exceeded') },
};

test('a fact that refuses decides, whatever random facts of later rules stand beside it', () => {
  const seed = 20_261_127;
  const random = randomFrom(seed);
  const names = RULES.map(([name]) => name);
  expect(Object.keys(REFUSING), 'a new rule needs a fact here that refuses by it').toEqual(names);
  for (let round = 0; round < 2_000; round++) {
    const against = names.filter(() => random() < 0.3);
    const facts: Facts = Object.assign({}, ALLOWED, ...against.map((name) => REFUSING[name]));
    const [first] = against;
    const expected =
      first === undefined
        ? { next: 'send' }
        : { next: 'refuse', refusal: refusalBy({ ...ALLOWED, ...REFUSING[first] }) };
    expect(judge(facts), `seed ${seed}, round ${round}: ${against.join(', ')}. ${REMEDY}`).toMatchObject(expected);
  }
});

test('what a way has not read refuses nothing', () => {
  expect(judge(NOTHING_KNOWN)).toEqual({ next: 'read_provider' });
  expect(refusalBy({})).toBeNull();
});

describe('what it waits for, after nothing refuses it', () => {
  const asked = verdict('require_approval');
  const dependencies = { awaited: ['eff_1'], refusal: null };

  test('people before other effects, those before a read of the provider', () => {
    const all = { ...ALLOWED, verdict: asked, dependencies, isReadOutdated: true };
    expect(judge(all).next).toBe('ask_for_approval');
    expect(judge({ ...all, verdict: verdict('allow') })).toMatchObject({
      next: 'wait_for_effects',
      effectIds: ['eff_1'],
    });
    expect(judge({ ...ALLOWED, isReadOutdated: true }).next).toBe('read_provider');
    expect(judge({ ...NOTHING_KNOWN, impact: null, verdict: null, missingSecrets: ['KEY'] }).next).toBe('refuse');
  });

  test('a dependency that ended otherwise refuses, as does a wait that was given up', () => {
    const open = { effectId: 'eff_1', stage: 'dispatching', outcome: 'pending' } as const;
    const done = { effectId: 'eff_2', stage: 'settled', outcome: 'succeeded' } as const;
    const failed = { effectId: 'eff_3', stage: 'settled', outcome: 'failed' } as const;
    expect(judgedDependencies([open, done])).toEqual({ awaited: ['eff_1'], refusal: null });
    expect(judgedDependencies([done], 'time_over')).toEqual({ awaited: [], refusal: null });
    expect(judgedDependencies([open, failed]).refusal?.message).toBe('depends on eff_3: it has failed');
    expect(judgedDependencies([open], 'cancelled').refusal?.code).toBe('invocation_cancelled');
    expect(withdrawnWithRun([done, open], false, null).refusal?.details).toEqual({ effectId: 'eff_1' });
    expect(withdrawnWithRun([done], false, null)).toEqual({ awaited: [], refusal: null });
    expect(withdrawnWithRun([done], true, null).refusal?.code).toBe('invocation_cancelled');
    expect(withdrawnWithRun([], true, 'apr_1').refusal?.code).toBe('approval_cancelled');
  });
});

describe('what people, or earlier policies, have said already', () => {
  const alice = { type: 'api_key', id: 'key_a', keyName: 'alice', role: null, email: null, maker: null } as const;
  const given: GivenApproval = {
    id: 'apr_1',
    isOfBinding: true,
    quorum: 1,
    requestedBy: { type: 'api_key', id: 'key_b', maker: null },
    approvedBy: [alice],
  };
  const asked = verdict('require_approval');

  test.each<[string, Partial<Facts>, string]>([
    ['an approval answers what the policies ask', { consent: given, verdict: asked }, 'send'],
    ['an approval of another request', { consent: { ...given, isOfBinding: false } }, 'digest_mismatch'],
    ['an approval whose approvers are gone', { consent: { ...given, approvedBy: [] } }, 'approval_invalidated'],
    ['an approval, and the policies deny it now', { consent: given, verdict: verdict('deny') }, 'approval_invalidated'],
    ['let through, and the policies still allow it', { consent: 'let_through' }, 'send'],
    ['let through, and the policies ask now', { consent: 'let_through', verdict: asked }, 'policy_denied'],
    [
      'let through, and the policies deny it now',
      { consent: 'let_through', verdict: verdict('deny') },
      'policy_denied',
    ],
  ])('%s: %s', (_, facts, outcome) => {
    expect(outcomeOf({ ...ALLOWED, ...facts })).toBe(outcome);
  });
});
