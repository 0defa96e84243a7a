import type { InvocationState } from '../refs.ts';
import { nextReadDelayMs, readsPassed } from './schedule.ts';

/** Pure: clock and randomness are handed in. The workflow `reconcileEffect` does the steps. */
export interface Reconciliation {
  /** What the record says of the invocation; null before the first look. */
  readonly invocation: InvocationState | null;
  /** When the outcome became unknown, in milliseconds since 1970. */
  readonly unknownSinceMs: number;
  readonly reads: { readonly unknown: number; readonly pending: number };
  /** Reads that a schedule asked for since this run began. */
  readonly scheduledReads: number;
  /** The time of the next read of the schedule has come. */
  readonly isDue: boolean;
  /** The schedule is at its end: only a read that is asked for is made. */
  readonly isExhausted: boolean;
  /** This run has put on record that the schedule is at its end. */
  readonly hasGivenUp: boolean;
  /** Reads that callers asked for, and how many of them were answered by a read that began after they were asked for. */
  readonly asked: number;
  readonly answered: number;
  /** The record changed: a person resolved the effect, or a replay of it was answered. */
  readonly mustLook: boolean;
}

export type ReconciliationEvent =
  /** The first look. The durations are of the record, at `atMs`. */
  | {
      type: 'begun';
      invocation: InvocationState;
      isExhausted: boolean;
      unknownForMs: number;
      dispatchedForMs: number;
      atMs: number;
    }
  | { type: 'read_asked' }
  | { type: 'record_changed' }
  | { type: 'wait_over' }
  /** The invocation was settled from the record, without a read. */
  | { type: 'looked'; invocation: InvocationState }
  /** The provider was read and the invocation settled. `answers`: as the step `read` said. */
  | { type: 'read'; invocation: InvocationState; answers: number }
  | { type: 'given_up' }
  /** The run ends: callers whose read was not made are answered with what is known. */
  | { type: 'ending' };

export type ReconciliationStep =
  | { next: 'begin' }
  /** Until `delayMs` is over (`wait_over`), a read is asked for, or the record changed. */
  | { next: 'wait'; delayMs: number }
  | { next: 'look' }
  /** `answers`: how many of the reads that were asked for this one answers. */
  | { next: 'read'; answers: number }
  | { next: 'give_up'; scheduledReads: number }
  | { next: 'end'; invocation: InvocationState };

export const BEFORE_THE_FIRST_LOOK: Reconciliation = {
  invocation: null,
  unknownSinceMs: 0,
  reads: { unknown: 0, pending: 0 },
  scheduledReads: 0,
  isDue: false,
  isExhausted: false,
  hasGivenUp: false,
  asked: 0,
  answered: 0,
  mustLook: false,
};

/** Reads were asked for that no read has answered, or the record changed: a wait ends. */
export function isWoken({ asked, answered, mustLook }: Reconciliation): boolean {
  return mustLook || asked > answered;
}

/** `random` is in [0, 1) and is called for a wait alone: the workflow's own, so that a replay draws the same. */
export function nextStep(now: Reconciliation, nowMs: number, random: () => number): ReconciliationStep {
  const { invocation, reads } = now;
  if (invocation === null) return { next: 'begin' };
  if (invocation.stage !== 'reconciling') return { next: 'end', invocation };
  // A look costs the provider nothing and may make the read needless.
  if (now.mustLook) return { next: 'look' };
  if (now.isDue || now.asked > now.answered) return { next: 'read', answers: now.asked };
  if (now.hasGivenUp) return { next: 'end', invocation };
  if (now.isExhausted) return { next: 'give_up', scheduledReads: now.scheduledReads };
  const schedule = scheduleOf(invocation);
  const elapsedMs = nowMs - now.unknownSinceMs;
  const delayMs = nextReadDelayMs({ pending: schedule === 'pending', reads: reads[schedule], elapsedMs }, random());
  return delayMs === null ? { next: 'give_up', scheduledReads: now.scheduledReads } : { next: 'wait', delayMs };
}

export function after(now: Reconciliation, event: ReconciliationEvent): Reconciliation {
  switch (event.type) {
    case 'begun':
      return begun(now, event);
    case 'read_asked':
      return { ...now, asked: now.asked + 1 };
    case 'record_changed':
      return { ...now, mustLook: true };
    case 'wait_over':
      return waitOver(now);
    case 'looked':
      return { ...settled(now, event.invocation), mustLook: false };
    case 'read':
      return { ...settled(now, event.invocation), isDue: false, answered: event.answers };
    case 'given_up':
      return { ...now, isExhausted: true, hasGivenUp: true };
    case 'ending':
      return { ...now, answered: now.asked };
  }
}

/** A run that is begun again goes on with the schedule where the record stands. */
function begun(now: Reconciliation, event: Extract<ReconciliationEvent, { type: 'begun' }>): Reconciliation {
  const { invocation, isExhausted, unknownForMs, dispatchedForMs, atMs } = event;
  const reads =
    scheduleOf(invocation) === 'pending'
      ? { unknown: 0, pending: readsPassed(true, dispatchedForMs) }
      : { unknown: readsPassed(false, unknownForMs), pending: 0 };
  return { ...now, invocation, isExhausted, reads, unknownSinceMs: atMs - unknownForMs };
}

function waitOver(now: Reconciliation): Reconciliation {
  if (now.invocation === null) throw new Error('a wait was over before the first look');
  const schedule = scheduleOf(now.invocation);
  const reads = { ...now.reads, [schedule]: now.reads[schedule] + 1 };
  return { ...now, reads, scheduledReads: now.scheduledReads + 1, isDue: true };
}

/** An operation that the provider is still working on has a schedule of its own, however long it was unknown. */
function settled(now: Reconciliation, invocation: InvocationState): Reconciliation {
  const isPendingAnew =
    now.invocation !== null && scheduleOf(now.invocation) === 'unknown' && scheduleOf(invocation) === 'pending';
  return isPendingAnew ? { ...now, invocation, isExhausted: false, hasGivenUp: false } : { ...now, invocation };
}

function scheduleOf({ grade }: InvocationState): 'unknown' | 'pending' {
  return grade === 'pending' ? 'pending' : 'unknown';
}
