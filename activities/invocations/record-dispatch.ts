import { setTimeout as delay } from 'node:timers/promises';
import type { EnvironmentTransaction } from '../../db/client.ts';
import type { ClaimedDispatch } from '../../db/attempts/claim-dispatch.ts';
import { type AttemptEnd, completeAttempt } from '../../db/attempts/close-attempt.ts';
import { findDispatchAttempt } from '../../db/attempts/find-dispatch-attempt.ts';
import { appendEvidence } from '../../db/effects/append-evidence.ts';
import type { NewEvidence } from '../../db/effects/records.ts';
import { setProviderReference } from '../../db/effects/set-provider-reference.ts';
import { lockInvocationWork } from '../../db/invocations/lock-invocation-work.ts';
import type { Json } from '../../domain/json.ts';
import { type Outcome, refusalText } from '../../domain/lifecycle.ts';
import type { InvocationRef, InvocationState } from '../../domain/refs.ts';
import type { DispatchResult } from '../adapters/adapter.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { settle } from './settle-invocation.ts';

/** The answer of a call exists once. A database that is away for a moment must not turn it into an unknown. */
const RECORD_RETRY_DELAYS_MS = [100, 500, 2_000, 5_000];

export interface RecordedDispatch {
  /** False where the attempt was given up meanwhile: then the evidence alone is kept, and reconciliation reads it. */
  inTime: boolean;
  /** Of the invocation, where it was settled too. */
  state: InvocationState | null;
}

/**
 * Closes the attempt, appends the evidence and, where `settles`, settles the invocation, in one transaction. Guarded by the
 * attempt's state, so that trying again is safe, also where an earlier try was committed and the word of it was lost.
 * A settlement that fails must not cost the record: only the first try settles, what is left is the workflow's.
 */
export async function recordDispatch(
  deps: InvocationDependencies,
  ref: InvocationRef,
  claimed: ClaimedDispatch,
  end: DispatchEnd,
  settles: boolean,
): Promise<RecordedDispatch> {
  for (const [earlierTries, retryDelayMs] of [...RECORD_RETRY_DELAYS_MS, null].entries()) {
    try {
      return await deps.db.withEnvironment(ref, (tx) => record(tx, claimed, end, settles && earlierTries === 0));
    } catch (error) {
      if (retryDelayMs === null) throw error;
      deps.logger.warn({ ...ref, err: error }, 'could not record the end of a dispatch: trying again');
      await delay(retryDelayMs);
    }
  }
  throw new Error('unreachable: the last try either answers or throws');
}

/** What came of a call, and when. */
export interface DispatchEnd {
  result: DispatchResult;
  startedAt: Date;
  observedAt: Date;
}

async function record(
  tx: EnvironmentTransaction,
  claimed: ClaimedDispatch,
  end: DispatchEnd,
  settles: boolean,
): Promise<RecordedDispatch> {
  // The invocation first and then the attempt, as every settlement locks them. Both are sent together.
  const [work, isOpen] = await Promise.all([
    settles ? lockInvocationWork(tx, claimed.invocationId) : null,
    completeAttempt(tx, claimed.attemptId, attemptEnd(end.result)),
  ]);
  // Only who claimed it completes it: a completed attempt is an earlier try of ours.
  const isRecorded = !isOpen && (await findDispatchAttempt(tx, claimed.invocationId))?.status === 'completed';
  const inTime = isOpen || isRecorded;
  // Sent together: the settlement reads the evidence that was sent before.
  const [, state] = await Promise.all([
    isRecorded || claimed.effectId === null ? null : keepEvidence(tx, claimed.effectId, end, isOpen),
    inTime && work ? settle(tx, work) : null,
  ]);
  return { inTime, state };
}

async function keepEvidence(
  tx: EnvironmentTransaction,
  effectId: string,
  end: DispatchEnd,
  inTime: boolean,
): Promise<void> {
  await appendEvidence(tx, evidenceOf(effectId, end, inTime));
  const { result } = end;
  if (result.kind === 'answered' && result.providerReference !== null) {
    await setProviderReference(tx, effectId, result.providerReference);
  }
}

export function observedOutcome(result: DispatchResult): Outcome {
  return attemptEnd(result).observedOutcome;
}

function attemptEnd(result: DispatchResult): AttemptEnd {
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

function evidenceOf(effectId: string, { result, observedAt, startedAt }: DispatchEnd, inTime: boolean): NewEvidence {
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
