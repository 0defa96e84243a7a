import { DISPATCH_MARGIN_MS } from '../../domain/heartbeats.ts';
import { claimReplay, isReplayUnclaimed } from '../../db/attempts/replays.ts';
import { abandonAttempt, completeAttempt, findAttempt, keepLateAnswer } from '../../db/attempts/ends.ts';
import type { ClaimedDispatch } from '../../db/attempts/dispatches.ts';
import type { NewEvidence } from '../../db/effects/records.ts';
import { type ReleasedPlace, releasePlace } from '../../db/in-flight/places.ts';
import { lockInvocationWork } from '../../db/invocations/locks.ts';
import { countEgress } from '../../db/plans/allowances.ts';
import { ACTION_TIMEOUT_MS_MAX } from '../../domain/actions.ts';
import { type Granted, isWithoutPlace, type NoPlace } from '../../domain/in-flight.ts';
import type { InvocationState, ReplayRef } from '../../domain/refs.ts';
import { REPLAY_MARGIN_SECONDS } from '../../domain/reconciliation/replay.ts';
import { WORKER_LOST } from '../../domain/settlement.ts';
import type { EgressMeter } from '../adapters/http-request/exchange.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { claimInTurn } from '../in-flight/claim-in-turn.ts';
import { tellNext } from '../in-flight/tell-next.ts';
import { send } from '../invocations/dispatch-effect.ts';
import { attemptEnd, type DispatchEnd, evidenceOf, keepEvidence } from '../invocations/record-dispatch.ts';
import { settle } from '../invocations/settle-invocation.ts';
import { recordPatiently } from '../record-patiently.ts';
import { withHeartbeats } from '../with-heartbeats.ts';
import { RecordGone } from '../../domain/record-gone.ts';

export const REPLAY_NOT_TAKEN_UP =
  'not sent: the outcome became known, the window closed, or neither a place in flight nor a worker was free in time';

export type Replayed = { sent: boolean } | NoPlace;

/**
 * Sends the same bytes again under the same key, once for each replay that a person asked for. Claims the attempt row,
 * only while the outcome is unknown and the adapter's window is open. A crash before the claim: nothing was sent. After
 * it: the outcome is still unknown, and this replay is never sent again. Its place has the name of the attempt: the
 * first request may hold the invocation's. `settleReplay` releases a lost worker's place, else its lease ends before
 * `abandonLostReplays`.
 */
export function sendReplay(deps: InvocationDependencies) {
  return async ({ timeoutMs = ACTION_TIMEOUT_MS_MAX, ...ref }: ReplayRef & { timeoutMs?: number }): Promise<Replayed> =>
    withHeartbeats(deps, async () => {
      const claimed = await claimInTurn(deps, ref, {
        holder: ref.attemptId,
        timeoutMs,
        lastsMs: timeoutMs + DISPATCH_MARGIN_MS,
        claim: async (tx) => {
          const dispatch = await claimReplay(tx, { ...ref, marginSeconds: REPLAY_MARGIN_SECONDS });
          return dispatch && { dispatch, requester: null };
        },
        isUnclaimed: (tx) => isReplayUnclaimed(tx, ref.attemptId),
      });
      if (claimed === 'claimed_elsewhere') {
        deps.logger.warn({ ...ref }, 'a replay was claimed before, or is no longer due: nothing is sent');
        return { sent: false };
      }
      if (isWithoutPlace(claimed)) return claimed;
      const { dispatch, unsent, fence } = claimed;
      const startedAt = new Date();
      const egress: EgressMeter = { bytes: 0 };
      const result = unsent ?? (await send(deps, ref, dispatch, { fence, egress, kind: 'replay' }));
      const end = { result, startedAt, observedAt: new Date(), egressBytes: egress.bytes };
      const next = await recordPatiently(deps, ref, (maySettle) => record(deps, ref, dispatch, end, maySettle));
      await tellNext(deps, 'dispatch', next);
      return { sent: result.kind === 'answered' || result.kind === 'no_answer' };
    });
}

/** Records the end and the evidence, settles and releases the place, in one transaction: the workflow may be gone. */
async function record(
  deps: InvocationDependencies,
  ref: ReplayRef,
  claimed: ClaimedDispatch,
  end: DispatchEnd,
  maySettle: boolean,
): Promise<Granted | null> {
  return deps.db.withEnvironment(ref, async (tx) => {
    const work = await lockInvocationWork(tx, ref.invocationId);
    const isOpen = await completeAttempt(tx, claimed.attemptId, attemptEnd(end.result));
    const isRecorded = !isOpen && (await findAttempt(tx, claimed.attemptId)).status === 'completed';
    const isNew = isOpen || (!isRecorded && (await keepLateAnswer(tx, claimed.attemptId, attemptEnd(end.result))));
    if (isNew) await keepEvidence(tx, ref.effectId, evidenceOfReplay(ref, end, isOpen), end);
    if (maySettle && isNew && work) await settle(tx, work);
    const next = await releasePlace(tx, placeOf(deps, ref));
    if (isNew) await countEgress(tx, end.egressBytes);
    return next;
  });
}

function placeOf(
  { inFlightCaps }: Pick<InvocationDependencies, 'inFlightCaps'>,
  { attemptId }: ReplayRef,
): ReleasedPlace {
  return { kind: 'dispatch', holder: attemptId, most: inFlightCaps.dispatch };
}

/** An unsent replay says nothing about the first request, which may have been sent. */
function evidenceOfReplay(ref: ReplayRef, end: DispatchEnd, inTime: boolean): NewEvidence {
  const evidence = evidenceOf(ref.effectId, end, inTime);
  const implied = evidence.impliedOutcome === 'not_dispatched' ? null : evidence.impliedOutcome;
  return {
    ...evidence,
    impliedOutcome: implied,
    summary: `replay: ${evidence.summary}`,
    details: { ...evidence.details, replay: true },
  };
}

/**
 * Closes a replay that did not report back, releases its place or its position in the queue, and settles the invocation from the record:
 * an answer to the replay counts as the answer; a saved 5xx, silence, or a replay that was never sent leave it unknown. Idempotent.
 */
export function settleReplay(deps: InvocationDependencies) {
  return async (ref: ReplayRef): Promise<InvocationState> => {
    const [state, next] = await deps.db.withEnvironment(ref, async (tx) => {
      const work = await lockInvocationWork(tx, ref.invocationId);
      if (!work) throw new RecordGone(`invocation ${ref.invocationId} was replayed and is gone`);
      const attempt = await findAttempt(tx, ref.attemptId);
      if (attempt.status === 'started') {
        const end = attempt.claimed
          ? { observedOutcome: 'unknown' as const, error: WORKER_LOST }
          : { observedOutcome: 'not_dispatched' as const, error: REPLAY_NOT_TAKEN_UP };
        await abandonAttempt(tx, ref.attemptId, end);
      }
      return [await settle(tx, work), await releasePlace(tx, placeOf(deps, ref))] as const;
    });
    await tellNext(deps, 'dispatch', next);
    return state;
  };
}
