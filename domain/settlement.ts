import type { InvocationStatus, Outcome, OutcomeSource, PartialEffect, Stage } from './lifecycle.ts';
import type { Refusal, RefusalCode } from './refusals.ts';

export interface DispatchRecord {
  attempt: {
    status: 'started' | 'completed' | 'abandoned';
    claimed: boolean;
    /** Nobody has claimed it in this database, which may have lost the claim (docs/ha.md). */
    recovered?: boolean;
    observedOutcome: Outcome | null;
    refusal: Refusal | null;
    error: string | null;
  };
  /** Newest last. `provider_response` after an abandoned attempt is a late answer: the worker was cut off, not dead. */
  evidence: {
    source: 'provider_response' | 'provider_lookup';
    impliedOutcome: Outcome | null;
    summary: string;
    /** True if it says nothing about a replay: the first request's own answer, or a read that found nothing. */
    ofFirstRequest: boolean;
  }[];
  /** A replay was sent or is in flight, and its outcome is not known. It may do, or have done, what the first request did not. */
  unansweredReplay: boolean;
  /** A read found more than one record at the provider. After that only a person can say what happened. */
  ambiguous: boolean;
}

export type Settlement =
  | { kind: 'refused'; refusal: Refusal }
  | {
      kind: 'known';
      stage: Extract<Stage, 'settled' | 'reconciling'>;
      outcome: Extract<Outcome, 'succeeded' | 'failed' | 'pending' | 'unknown'>;
      source: OutcomeSource | null;
      partialEffect: PartialEffect;
      error: string | null;
      /** Why it failed or is not known; null under any other outcome. */
      code: RefusalCode | null;
      /** Set if the attempt is still open: it must be closed as abandoned, with this outcome. */
      abandon: { observedOutcome: Outcome; error: string } | null;
    };

export const NEVER_TAKEN_UP =
  'not sent: no worker took the dispatch up in time, the one that did was lost before it sent it, or its workspace had too many under way';
export const AMBIGUOUS = 'a read found more than one record at the provider: a person must resolve it';
export const DATABASE_RECOVERED =
  'the database failed over or was restored, and may have lost that this was sent: whether it took effect is not known';
export const WORKER_LOST = 'the worker was lost while the call was under way: whether it took effect is not known';

/**
 * The outcome of a dispatch, judged only from its record. The provider's own record, read back, outweighs a response. A response
 * outweighs silence and a record that was not found. Silence after a claim is `unknown`, never a guess. A failure of the first request proves nothing while a
 * replay is unanswered: the same bytes are in flight, or may have had their effect.
 */
export function settlementOf(record: DispatchRecord): Settlement {
  const { attempt } = record;
  if (attempt.refusal) return { kind: 'refused', refusal: attempt.refusal };
  if (attempt.status === 'started' && !attempt.claimed && attempt.recovered !== true) {
    const abandon = { observedOutcome: 'not_dispatched', error: NEVER_TAKEN_UP } as const;
    return ended('failed', 'not_taken_up', 'system', NEVER_TAKEN_UP, abandon);
  }
  const lostBy = attempt.recovered === true ? DATABASE_RECOVERED : WORKER_LOST;
  const abandon = attempt.status === 'started' ? { observedOutcome: 'unknown' as const, error: lostBy } : null;
  // A response that accepted the request in time still counts. Any other outcome stays unknown: one of two records proves nothing.
  if (record.ambiguous && attempt.observedOutcome !== 'succeeded') {
    return ended('unknown', 'ambiguous_at_provider', null, AMBIGUOUS, abandon);
  }
  const read = lastDecisive(record, 'provider_lookup') ?? lastDecisive(record, 'provider_response');
  if (read) {
    if (read.outcome === 'failed') return ended('failed', read.failure, read.source, read.summary, abandon);
    return known(read.outcome, read.source, null, abandon);
  }
  const proves =
    record.unansweredReplay && provesFailure(attempt.observedOutcome) ? 'unknown' : attempt.observedOutcome;
  switch (proves) {
    case 'not_dispatched':
      return attempt.error === NEVER_TAKEN_UP
        ? ended('failed', 'not_taken_up', 'system', attempt.error, abandon)
        : ended('failed', 'not_sent', 'system', attempt.error, abandon);
    case 'succeeded':
      return known('succeeded', 'provider_response', null, abandon);
    case 'failed':
      return ended('failed', 'provider_rejected', 'provider_response', attempt.error, abandon);
    case 'pending':
      return known('pending', 'provider_response', attempt.error, abandon);
    case 'unknown':
    case null:
      return ended('unknown', silenceOf(record, attempt.error ?? lostBy), null, attempt.error ?? lostBy, abandon);
  }
}

function lastDecisive(
  record: DispatchRecord,
  source: 'provider_lookup' | 'provider_response',
): {
  outcome: 'succeeded' | 'failed' | 'pending';
  source: OutcomeSource;
  summary: string;
  failure: RefusalCode;
} | null {
  for (const evidence of record.evidence.toReversed()) {
    if (evidence.source !== source) continue;
    const outcome = evidence.impliedOutcome;
    if (evidence.ofFirstRequest && provesFailure(outcome) && isOutweighed(evidence, record)) continue;
    if (outcome === 'succeeded' || outcome === 'failed' || outcome === 'pending')
      return { outcome, source, summary: evidence.summary, failure: failureOf(evidence) };
  }
  return null;
}

/** Whether a failure of the first request proves nothing: a replay is unanswered, or an accepted one was not found. */
function isOutweighed({ source }: DispatchRecord['evidence'][number], record: DispatchRecord): boolean {
  if (record.unansweredReplay) return true;
  return source === 'provider_lookup' && record.evidence.some(acceptsRequest);
}

function acceptsRequest({ source, impliedOutcome }: DispatchRecord['evidence'][number]): boolean {
  return source === 'provider_response' && (impliedOutcome === 'succeeded' || impliedOutcome === 'pending');
}

function provesFailure(outcome: Outcome | null): boolean {
  return outcome === 'failed' || outcome === 'not_dispatched';
}

/** Why an outcome that nobody saw is not known. */
function silenceOf({ attempt, unansweredReplay }: DispatchRecord, error: string): RefusalCode {
  if (unansweredReplay && provesFailure(attempt.observedOutcome)) return 'replay_unanswered';
  if (error === DATABASE_RECOVERED) return 'database_recovered';
  return error === WORKER_LOST ? 'worker_lost' : 'no_usable_answer';
}

/** A read that found nothing says so of the first request; any other read found a record. */
function failureOf({ source, ofFirstRequest }: DispatchRecord['evidence'][number]): RefusalCode {
  if (source === 'provider_response') return 'provider_rejected';
  return ofFirstRequest ? 'absent_at_provider' : 'provider_reports_failure';
}

type Abandon = { observedOutcome: Outcome; error: string } | null;

/** It failed, or what became of it is not known, for the reason `code`. */
function ended(
  outcome: 'failed' | 'unknown',
  code: RefusalCode,
  source: OutcomeSource | null,
  error: string | null,
  abandon: Abandon,
): Settlement {
  const [stage, partialEffect] =
    outcome === 'failed' ? (['settled', 'none'] as const) : (['reconciling', 'possible'] as const);
  return { kind: 'known', stage, outcome, source, partialEffect, error, code, abandon };
}

function known(
  outcome: 'succeeded' | 'pending',
  source: OutcomeSource,
  error: string | null,
  abandon: Abandon,
): Settlement {
  const [stage, partialEffect] =
    outcome === 'succeeded' ? (['settled', 'none'] as const) : (['reconciling', 'possible'] as const);
  return { kind: 'known', stage, outcome, source, partialEffect, error, code: null, abandon };
}

/** The invocation's status for an effect's outcome. A pending outcome at the provider is shown to the caller as still dispatching. */
export function statusOf(outcome: 'succeeded' | 'failed' | 'pending' | 'unknown'): InvocationStatus {
  return outcome === 'pending' ? 'dispatching' : outcome;
}
