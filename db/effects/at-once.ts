import { decisionOf, type PolicyVerdict } from '../../domain/approval-policies/verdict.ts';
import { newId } from '../../domain/ids.ts';
import type { InvocationState } from '../../domain/refs.ts';
import { statusOf, type Settlement } from '../../domain/settlement.ts';
import { type AttemptEnd, completeOrRefuse, jsonOrNull } from '../attempts/ends.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { refuseIfHalted } from '../environments/halt.ts';
import type { LiveLimit } from '../impact-limits/allowances.ts';
import { reserveOrRefuse } from '../impact-limits/reservations.ts';
import { settleInFull } from '../impact-limits/settlement.ts';
import type { Demand } from '../../domain/impact-limits/demand.ts';
import { announceSettlement } from '../invocations/changes.ts';
import { readInvocationState } from '../invocations/queries.ts';
import { countEgress } from '../plans/allowances.ts';
import { meaning } from '../refused.ts';
import { appendEvidence } from './evidence.ts';
import { NEW_EFFECT, type NewEffect, newEffectBindings, type NewEvidence } from './records.ts';

/**
 * The clean way of a dispatch: its two transactions, each written as one packet that ends with the COMMIT, so that what many
 * wait for (a counter of an impact limit, the halt) is locked for one round trip. A packet that cannot go this way refuses,
 * and nothing of it is committed: the caller then takes the way of every other dispatch.
 */

/** The packet was refused, and nothing was committed. */
export class NotAtOnce extends Error {
  override readonly name = 'NotAtOnce';
}

const notAtOnce = meaning<unknown>(() => new NotAtOnce('this cannot be done in one packet'));

export interface StartAtOnce {
  invocationId: string;
  /** The effect of a governed invocation, which begins as `dispatching`. */
  effect: NewEffect | null;
  secretVersions: Readonly<Record<string, number>>;
  verdict: PolicyVerdict;
  /** What it reserves on the limits that apply. */
  demands: readonly Demand<LiveLimit>[];
  now: Date;
}

/**
 * Writes the fence and claims it, for an invocation that waits for nothing: creates the effect and the attempt, moves the
 * invocation to `dispatching`, reserves, and commits. The execution that commits it is the only one that may send. The caller
 * holds the invocation's row lock and a place. Returns the attempt's id.
 *
 * @throws {NotAtOnce} where the environment is halted, a limit lacks room, or the period of a limit begins.
 */
export async function startAtOnce(tx: EnvironmentTransaction, start: StartAtOnce): Promise<string> {
  const { invocationId, effect, secretVersions, verdict, demands, now } = start;
  const attemptId = newId('attempt');
  const created = `effect AS (
       INSERT INTO effects (${NEW_EFFECT.columns}, stage, outcome, first_dispatched_at)
       VALUES (${NEW_EFFECT.values}, 'dispatching', 'pending', now())),`;
  const write = (): Promise<unknown> =>
    tx.raw(
      { variantsOf: 'start_at_once' },
      `WITH ${effect === null ? '' : created} attempt AS (
       INSERT INTO attempts (id, environment_id, invocation_id, number, kind, secret_versions, claimed_at)
       VALUES (:attemptId, current_environment_id(), :invocationId, 1, 'dispatch', :secretVersions, now()))
     UPDATE invocations SET status = 'dispatching', ${effect === null ? '' : 'effect_id = :id, '}decision = CAST(:decision AS jsonb), evaluated_at = now(),
       updated_at = now()
     WHERE id = :invocationId`,
      {
        ...(effect === null ? {} : newEffectBindings(effect)),
        attemptId,
        invocationId,
        secretVersions: JSON.stringify(secretVersions),
        decision: decisionOf(verdict),
      },
    );
  await tx
    .last(write, () => refuseIfHalted(tx), effect === null ? null : () => reserveOrRefuse(tx, effect.id, demands, now))
    .catch(notAtOnce);
  return attemptId;
}

export interface EndAtOnce {
  invocationId: string;
  attemptId: string;
  end: AttemptEnd;
  settlement: Extract<Settlement, { kind: 'known' }> & { outcome: 'succeeded' | 'failed' };
  /** The effect of a governed invocation, and what the end says of it. */
  effect: { id: string; evidence: NewEvidence; providerReference: string | null; isLimited: boolean } | null;
  egressBytes: number;
  /** Releases the place of the call. */
  release: () => Promise<unknown>;
}

/**
 * Records the end of a dispatch and settles it, where the end says all: nothing else was learned of the dispatch before. Returns the
 * state of the settled invocation.
 *
 * @throws {NotAtOnce} where the attempt was abandoned or ended meanwhile, or the invocation is not `dispatching`.
 */
export async function endAtOnce(tx: EnvironmentTransaction, ended: EndAtOnce): Promise<InvocationState> {
  const { invocationId, attemptId, end, settlement, effect, egressBytes, release } = ended;
  announceSettlement(tx, invocationId);
  const answers = await tx
    .last(
      () => lockDispatching(tx, invocationId),
      () => completeOrRefuse(tx, attemptId, end),
      effect === null ? null : () => appendEvidence(tx, effect.evidence),
      () => settleAtOnce(tx, invocationId, settlement, end, effect?.providerReference ?? null),
      effect?.isLimited === true ? () => settleInFull(tx, effect.id, settlement.outcome) : null,
      release,
      () => countEgress(tx, egressBytes),
      () => readInvocationState(tx, invocationId),
    )
    .catch(notAtOnce);
  return answers[7];
}

/** The lock is taken before the status is looked at, so that a change that was waited for is seen. */
async function lockDispatching(tx: EnvironmentTransaction, invocationId: string): Promise<void> {
  await tx.raw(
    'lock_dispatching',
    `WITH locked AS MATERIALIZED (SELECT status FROM invocations WHERE id = ? FOR UPDATE)
     SELECT refuse('{}') WHERE NOT EXISTS (SELECT FROM locked WHERE status = 'dispatching')`,
    [invocationId],
  );
}

async function settleAtOnce(
  tx: EnvironmentTransaction,
  invocationId: string,
  settlement: EndAtOnce['settlement'],
  end: AttemptEnd,
  providerReference: string | null,
): Promise<void> {
  const { outcome, source, partialEffect, error, code } = settlement;
  await tx.raw(
    'settle_at_once',
    `WITH effect AS (
       UPDATE effects SET stage = 'settled', outcome = :outcome, outcome_source = :source, partial_effect = :partialEffect,
         provider_reference = COALESCE(provider_reference, :providerReference),
         -- The provider can still reverse this success: the sweep starts watchReversal when the read is due.
         reconcile_next_at = CASE WHEN :outcome = 'succeeded' AND COALESCE((capabilities ->> 'reversible')::boolean, false)
           THEN now() + interval '1 day' END,
         outcome_at = now(), updated_at = now()
       WHERE invocation_id = :invocationId)
     UPDATE invocations SET status = :status, outcome_source = :source, error = :error, refusal_code = CAST(:code AS text),
       refusal_details = CASE WHEN CAST(:code AS text) IS NOT NULL THEN '{}'::jsonb END, result = :response, settled_at = now(), updated_at = now()
     WHERE id = :invocationId`,
    {
      invocationId,
      outcome,
      source,
      partialEffect,
      providerReference,
      status: statusOf(outcome),
      error,
      code,
      response: jsonOrNull(end.response),
    },
  );
}
