import type { EnvironmentTransaction } from '../../db/client.ts';
import { type ClaimedDispatch, findDispatchAttempt } from '../../db/attempts/dispatches.ts';
import { type AttemptEnd, completeAttempt, keepLateAnswer } from '../../db/attempts/ends.ts';
import { readDispatchRecord, setProviderReference } from '../../db/effects/settlement.ts';
import { type EndAtOnce, endAtOnce, NotAtOnce } from '../../db/effects/at-once.ts';
import { appendEvidence } from '../../db/effects/evidence.ts';
import type { NewEvidence } from '../../db/effects/records.ts';
import { releasePlace } from '../../db/in-flight/places.ts';
import { lockInvocationWork } from '../../db/invocations/locks.ts';
import { countEgress } from '../../db/plans/allowances.ts';
import type { Granted } from '../../domain/in-flight.ts';
import type { Json } from '../../domain/json.ts';
import type { Outcome } from '../../domain/lifecycle.ts';
import { refusalText } from '../../domain/refusals.ts';
import type { InvocationRef, InvocationState } from '../../domain/refs.ts';
import { settlementOf } from '../../domain/settlement.ts';
import type { DispatchResult } from '../adapters/adapter.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import type { ClaimedAtOnce } from '../in-flight/claim-in-turn.ts';
import { recordPatiently } from '../record-patiently.ts';
import { settleBy } from './settle-invocation.ts';

export interface RecordedDispatch {
  /** False where the attempt was abandoned meanwhile: what was seen is kept beside it, and settles what was unknown. */
  inTime: boolean;
  /** The invocation's status, where it was settled too. */
  state: InvocationState | null;
  next: Granted | null;
}

/**
 * Closes the attempt, appends the evidence and, where `settles`, settles, in one transaction. The attempt's state
 * guards it, so a retry is safe. An answer to an abandoned attempt settles too: its workflow may be over. A settlement
 * that fails must not cost the record: see `recordPatiently`.
 */
export async function recordDispatch(
  deps: InvocationDependencies,
  ref: InvocationRef,
  claimed: ClaimedDispatch,
  end: DispatchEnd,
  { settles, atOnce = null }: { settles: boolean; atOnce?: ClaimedAtOnce | null },
): Promise<RecordedDispatch> {
  const ended = settles && atOnce?.endsAtOnce === true ? endedAtOnce(claimed, end, atOnce) : null;
  return recordPatiently(deps, ref, async (maySettle) => {
    if (ended !== null && maySettle) {
      const recorded = await recordAtOnce(deps, ref, ended);
      if (recorded !== null) return recorded;
    }
    return deps.db.withEnvironment(ref, (tx) => record(tx, deps, claimed, end, { settles, maySettle }));
  });
}

/** What the end of a call says of its outcome, where nothing else can: it is the first word on a dispatch of which nothing was learned. */
function endedAtOnce(
  { invocationId, attemptId, effectId }: ClaimedDispatch,
  end: DispatchEnd,
  { isLimited }: ClaimedAtOnce,
): Omit<EndAtOnce, 'release'> | null {
  const ends = attemptEnd(end.result);
  const evidence = effectId === null ? null : evidenceOf(effectId, end, true);
  const settlement = settlementOf({
    attempt: { status: 'completed', claimed: true, ...ends },
    evidence:
      evidence?.source === 'provider_response'
        ? [{ ...evidence, source: 'provider_response', ofFirstRequest: true }]
        : [],
    unansweredReplay: false,
    ambiguous: false,
  });
  if (settlement.kind !== 'known') return null;
  const { outcome } = settlement;
  if (outcome !== 'succeeded' && outcome !== 'failed') return null;
  const providerReference = end.result.kind === 'answered' ? end.result.providerReference : null;
  const effect =
    effectId === null || evidence === null ? null : { id: effectId, evidence, providerReference, isLimited };
  return {
    invocationId,
    attemptId,
    end: ends,
    settlement: { ...settlement, outcome },
    effect,
    egressBytes: end.egressBytes,
  };
}

/** Null where the packet was refused: the attempt was given up meanwhile, or an earlier try recorded it. */
async function recordAtOnce(
  { db, inFlightCaps }: Pick<InvocationDependencies, 'db' | 'inFlightCaps'>,
  ref: InvocationRef,
  ended: Omit<EndAtOnce, 'release'>,
): Promise<RecordedDispatch | null> {
  const { invocationId: holder } = ref;
  let next: Granted | null = null;
  try {
    const state = await db.withEnvironment(ref, (tx) =>
      endAtOnce(tx, {
        ...ended,
        release: async () => {
          next = await releasePlace(tx, { kind: 'dispatch', holder, most: inFlightCaps.dispatch });
        },
      }),
    );
    return { inTime: true, state, next };
  } catch (error) {
    if (error instanceof NotAtOnce) return null;
    throw error;
  }
}

export interface DispatchEnd {
  result: DispatchResult;
  startedAt: Date;
  observedAt: Date;
  /** The size of the bodies that were sent and read. */
  egressBytes: number;
}

async function record(
  tx: EnvironmentTransaction,
  { inFlightCaps }: Pick<InvocationDependencies, 'inFlightCaps'>,
  claimed: ClaimedDispatch,
  end: DispatchEnd,
  { settles, maySettle }: { settles: boolean; maySettle: boolean },
): Promise<RecordedDispatch> {
  // The invocation first and then the attempt, the lock order of every settlement. Both are sent together.
  const [work, isOpen] = await tx.inOrder(
    () => lockInvocationWork(tx, claimed.invocationId),
    () => completeAttempt(tx, claimed.attemptId, attemptEnd(end.result)),
  );
  // Only the claimant completes it, so a completed attempt is an earlier try of ours.
  const isRecorded = !isOpen && (await findDispatchAttempt(tx, claimed.invocationId))?.status === 'completed';
  const inTime = isOpen || isRecorded;
  const isNew = inTime ? isOpen : await keepLateAnswer(tx, claimed.attemptId, attemptEnd(end.result));
  const { effectId } = claimed;
  const settled = maySettle && work !== null && (settles || !inTime) ? work : null;
  // The settlement reads the evidence that is sent before.
  const [, record, next] = await tx.inOrder(
    isNew && effectId !== null ? () => keepEvidence(tx, effectId, evidenceOf(effectId, end, inTime), end) : null,
    settled === null ? null : () => readDispatchRecord(tx, settled.id),
    () => releasePlace(tx, { kind: 'dispatch', holder: claimed.invocationId, most: inFlightCaps.dispatch }),
  );
  const state = settled === null ? null : await settleBy(tx, settled, record);
  if (isNew) await countEgress(tx, end.egressBytes);
  return { inTime, state, next };
}

export async function keepEvidence(
  tx: EnvironmentTransaction,
  effectId: string,
  evidence: NewEvidence,
  { result }: DispatchEnd,
): Promise<void> {
  const reference = result.kind === 'answered' ? result.providerReference : null;
  await tx.inOrder(
    () => appendEvidence(tx, evidence),
    reference === null ? null : () => setProviderReference(tx, effectId, reference),
  );
}

export function observedOutcome(result: DispatchResult): Outcome {
  return attemptEnd(result).observedOutcome;
}

export function attemptEnd(result: DispatchResult): AttemptEnd {
  switch (result.kind) {
    case 'refused':
      return {
        observedOutcome: 'not_dispatched',
        refusal: result.refusal,
        error: refusalText(result.refusal),
        response: null,
      };
    case 'not_sent':
      return { observedOutcome: 'not_dispatched', refusal: null, error: `not sent: ${result.reason}`, response: null };
    case 'no_answer':
      return { observedOutcome: 'unknown', refusal: null, error: `no usable answer: ${result.reason}`, response: null };
    case 'answered':
      return {
        observedOutcome: result.outcome,
        refusal: null,
        error: result.outcome === 'succeeded' ? null : result.summary,
        response: result.response as unknown as Json,
      };
  }
}

export function evidenceOf(
  effectId: string,
  { result, observedAt, startedAt }: DispatchEnd,
  inTime: boolean,
): NewEvidence {
  const end = attemptEnd(result);
  const answered = result.kind === 'answered';
  return {
    effectId,
    source: answered ? 'provider_response' : 'system',
    observedAt,
    impliedOutcome: end.observedOutcome,
    providerIds: answered ? result.providerIds : {},
    summary: answered ? result.summary : (end.error ?? result.kind),
    details: {
      durationMs: observedAt.getTime() - startedAt.getTime(),
      ...(answered ? { status: result.response.status } : {}),
      ...(inTime ? {} : { late: true }),
    },
    actor: { type: 'service', id: null },
  };
}
