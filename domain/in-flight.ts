/**
 * Calls to the outside that count against a workspace's cap. A replay is a dispatch. What is over the cap waits in the
 * workspace's queue without a worker's slot.
 */
export type InFlightKind = 'dispatch' | 'delivery' | 'provider_read';

/** The permits of a workspace by kind: how many calls it may have in flight, in all its environments and on all workers. */
export type InFlightCaps = Readonly<Record<InFlightKind, number>>;

/** An activity's answer without a permit. It did nothing: ask again after this time, or when signalled. */
export interface NoPermit {
  seen: 'no_permit';
  lookAgainMs: number;
}

/** The permit of a holder that died is free so long after the time-out of its call: the database before and after the call. */
const LEASE_MARGIN_MS = 60_000;
/** A missed signal is made up for by looking: first soon, and seldom far back in the queue. Each look costs a history some events. */
const LOOK_MS_MIN = 10_000;
const LOOK_MS_PER_POSITION = 1_000;
const LOOK_MS_MAX = 300_000;
/** A waiter that has not looked for so long is gone, and nobody waits behind it any longer. */
export const WAITER_LEASE_MS = LOOK_MS_MAX + 60_000;

export function permitLeaseMs(timeoutMs: number): number {
  return timeoutMs + LEASE_MARGIN_MS;
}

/** Until the next look at this position of the queue, from 1. The release of a permit signals the first of the queue sooner. */
export function nextLookMs(position: number): number {
  return Math.min(LOOK_MS_MAX, Math.max(LOOK_MS_MIN, position * LOOK_MS_PER_POSITION));
}

/** Whether an activity was refused a permit. */
export function isWithoutPermit(answer: unknown): answer is NoPermit {
  return typeof answer === 'object' && answer !== null && 'seen' in answer && answer.seen === 'no_permit';
}
