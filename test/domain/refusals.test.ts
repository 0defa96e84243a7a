import { describe, expect, test } from 'vitest';
import { GRADES, type Grade, INVOCATION_STATUSES, type InvocationStatus, isOpen } from '../../domain/lifecycle.ts';
import { type NextStepFacts, nextStepOf } from '../../domain/next-step.ts';
import {
  REFUSAL_CODES,
  type RefusalCode,
  refusalEntry,
  refusalMessage,
  refusalText,
  REFUSED_STATUSES,
} from '../../domain/refusals.ts';

const GRADE_OF: Partial<Record<InvocationStatus, Grade>> = { failed: 'failed', unknown: 'unknown', denied: 'denied' };

function facts(over: Partial<NextStepFacts>): NextStepFacts {
  return {
    invocationId: 'inv_1',
    effectId: 'eff_1',
    approvalId: null,
    details: {},
    status: 'refused',
    grade: 'refused',
    code: null,
    awaitsDependencies: false,
    expiresAt: null,
    namedPreviewId: null,
    ...over,
  };
}

const step = (code: RefusalCode, over: Partial<NextStepFacts> = {}): string | null => {
  const [status] = refusalEntry(code).statuses;
  return nextStepOf(facts({ code, status, grade: GRADE_OF[status] ?? 'refused', ...over }));
};

/** The part of each code's text that an agent acts on. */
const STEPS: Record<RefusalCode, RegExp> = {
  digest_mismatch: /new preview.*new operationKey/,
  action_version_changed: /current version.*new operationKey/,
  action_disabled: /live action/,
  preview_expired: /new preview.*new operationKey/,
  precondition_changed: /new preview.*still wanted/,
  policy_denied: /Do not send the same again.*ask a person/,
  policy_evaluation_error: /Ask a person to mend the policy/,
  approval_denied: /Do not ask for the same again/,
  approval_expired: /Ask a person.*new operationKey/,
  approval_cancelled: /who cancelled it/,
  invocation_cancelled: /who cancelled it/,
  approval_invalidated: /new operationKey.*new approval/,
  impact_limit_exceeded: /Ask for less, or ask a person to raise the impact limit/,
  impact_unbounded: /Ask a person to look at the action's impact/,
  currency_mismatch: /currency that is counted/,
  secret_missing: /Ask a person to put the action's secret into the vault/,
  attachment_changed: /Upload the file again.*new operationKey/,
  mode_mismatch: /action's mode/,
  recipient_not_allowed: /recipient or the sender/,
  environment_halted: /ask a person to resume/,
  destination_blocked: /destination that the action allows/,
  dependency_unsettled: /GET \/api\/v2\/actions\/effects\/\{id\}/,
  operation_in_flight: /^Wait for the invocation/,
  requester_revoked: /new credential/,
  provider_rejected: /mend the input.*retryOf inv_1/,
  provider_reports_failure: /mend the input.*retryOf inv_1/,
  absent_at_provider: /did not happen.*retryOf inv_1/,
  reversed_by_provider: /Tell a person.*retryOf inv_1/,
  not_sent: /Nothing was sent.*retryOf inv_1/,
  not_taken_up: /Nothing was sent.*retryOf inv_1/,
  resolved_as_failed: /resolution.*retryOf inv_1/,
  no_usable_answer: /^Do not run it again: the service reads.*inv_1\?wait=30.*effects\/eff_1\/resolve/,
  worker_lost: /^Do not run it again: the service reads.*inv_1\?wait=30.*effects\/eff_1\/resolve/,
  database_recovered: /^Do not run it again: the service reads.*inv_1\?wait=30.*effects\/eff_1\/resolve/,
  replay_unanswered: /^Do not run it again: the service reads.*inv_1\?wait=30.*effects\/eff_1\/resolve/,
  ambiguous_at_provider: /^Do not run it again: ask a person.*effects\/eff_1\/resolve/,
};

describe('the next step of each code', () => {
  test.each(Object.entries(STEPS) as [RefusalCode, RegExp][])('%s: %s', (code, words) => {
    expect(step(code)).toMatch(words);
  });

  test.each(REFUSAL_CODES)(
    '%s is one sentence, begins with what to do, and names no value that is not there',
    (code) => {
      for (const effectId of ['eff_1', null]) {
        const sentence = step(code, { effectId }) ?? '';
        expect(sentence).toMatch(/^[A-Z][^\n]*\.$/);
        expect(sentence).not.toMatch(/\. |undefined|null|\bof the the\b/);
      }
    },
  );

  test('whoever named a preview is told to make another before asking again', () => {
    for (const code of REFUSAL_CODES) {
      const sentence = step(code, { namedPreviewId: 'prv_1' }) ?? '';
      expect(sentence.includes('operationKey'), code).toBe(/new preview/.test(sentence));
    }
    expect(step('approval_expired', { namedPreviewId: 'prv_1' })).toBe(
      'Ask a person whether they will decide in time, then make a new preview and, with its previewId, invoke again under a new operationKey.',
    );
  });

  test('what is unknown is never run again, with an effect or without', () => {
    const unknown = REFUSAL_CODES.filter((code) => refusalEntry(code).statuses.some((status) => status === 'unknown'));
    expect(unknown.length).toBeGreaterThan(3);
    for (const code of unknown) {
      for (const effectId of ['eff_1', null]) {
        const sentence = step(code, { effectId });
        expect(sentence, code).toMatch(/^Do not run it again/);
        expect(sentence, code).not.toMatch(/operationKey/);
      }
      expect(step(code, { effectId: null }), code).toContain('/invocations/inv_1/resolve');
    }
  });

  test('the details make it concrete', () => {
    const [limitId, resumeAt] = ['lim_1', '2026-12-01T00:00:00.000Z'];
    expect(step('impact_limit_exceeded', { details: { limitId, resumeAt } })).toMatch(
      /^Wait until 2026-12-01T00:00:00.000Z.*raise impact limit lim_1/,
    );
    expect(
      step('impact_unbounded', { details: { issues: [{ path: 'input.amount', message: 'is missing' }] } }),
    ).toMatch(/^Mend the input at input\.amount,/);
    expect(step('secret_missing', { details: { secrets: ['A', 'B'] } })).toContain('put A, B into the vault');
    expect(step('policy_evaluation_error', { details: { policyId: 'pol_1' } })).toContain('mend policy pol_1');
    expect(step('dependency_unsettled', { details: { effectId: 'eff_2' } })).toContain('/effects/eff_2;');
    expect(step('worker_lost', { details: { resumeAt } })).toContain(`(next at ${resumeAt})`);
  });
});

/** Returns null when nothing is left to do. */
const NOTHING = /^$/;

describe('the next step of each grade', () => {
  const rows: [Grade, InvocationStatus, Partial<NextStepFacts>, RegExp][] = [
    ['confirmed', 'succeeded', {}, NOTHING],
    ['acknowledged', 'succeeded', {}, NOTHING],
    ['pending', 'pending_approval', { approvalId: 'apr_1' }, /^Ask a person to decide approval apr_1.*inv_1\?wait=30/],
    ['pending', 'queued', {}, /^It is under way: poll .*inv_1\?wait=30; do not invoke it again/],
    ['pending', 'queued', { awaitsDependencies: true }, /waits for the effects that it depends on: poll/],
    ['pending', 'dispatching', {}, /under way at the provider: poll/],
    ['unknown', 'dispatching', {}, /being found out: poll/],
    ['unknown', 'unknown', { code: 'no_usable_answer' }, /^Do not run it again/],
    ['failed', 'failed', { code: 'provider_rejected' }, /mend the input/],
    ['refused', 'refused', { code: 'policy_denied' }, /Do not send the same again/],
    ['refused', 'expired', { code: 'approval_expired' }, /in time/],
    ['refused', 'cancelled', { code: 'approval_cancelled' }, /cancelled/],
    ['denied', 'denied', { code: 'approval_denied' }, /Do not ask for the same again/],
  ];
  test.each(rows)('%s, %s, %o: %s', (grade, status, over, expected) => {
    expect(nextStepOf(facts({ grade, status, ...over })) ?? '').toMatch(expected);
  });

  test('every grade and every status has a row', () => {
    expect(new Set(rows.map(([grade]) => grade))).toEqual(new Set(GRADES));
    expect(new Set(rows.map(([, status]) => status))).toEqual(new Set(INVOCATION_STATUSES));
  });
});

test('every status that is neither open nor a success carries a code, and no other does', () => {
  const refused: readonly InvocationStatus[] = REFUSED_STATUSES;
  expect(INVOCATION_STATUSES.filter((status) => !isOpen(status) && status !== 'succeeded').toSorted()).toEqual(
    refused.toSorted(),
  );
  const used = new Set(REFUSAL_CODES.flatMap((code) => [...refusalEntry(code).statuses]));
  expect(used).toEqual(new Set(refused));
});

test('the sentence of a refusal is its error without the specified prefix', () => {
  const refusal = { code: 'impact_limit_exceeded', message: 'it has 5 of 10 left' } as const;
  expect(refusalText(refusal)).toBe('dispatch refused (impact_limit_exceeded): it has 5 of 10 left');
  expect(refusalMessage(refusal.code, refusalText(refusal))).toBe(refusal.message);
  expect(refusalMessage('provider_rejected', 'POST answered 422')).toBe('POST answered 422');
  expect(refusalMessage('worker_lost', null)).toBe(refusalEntry('worker_lost').meaning);
});
