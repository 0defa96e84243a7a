/** Calls that are under way for a workspace at once. What is over the cap waits without holding a worker's slot. */
export type InFlightKind = 'dispatch' | 'delivery';

/** By the kind of call: how many a workspace may have under way, in all its environments and on all workers. */
export type InFlightCaps = Readonly<Record<InFlightKind, number>>;

/** A holder that died is forgotten so long after the time-out of its call: the database before and after the call. */
const LEASE_MARGIN_MS = 60_000;
/** A place that nobody told us of is found by looking: first soon, and seldom far back in the line. Each look costs a history some events. */
const LOOK_MS_MIN = 10_000;
const LOOK_MS_PER_POSITION = 1_000;
const LOOK_MS_MAX = 300_000;
/** Who waits and has not looked for so long is gone, and nobody waits behind them any longer. */
export const WAITER_LEASE_MS = LOOK_MS_MAX + 60_000;

export function placeLeaseMs(timeoutMs: number): number {
  return timeoutMs + LEASE_MARGIN_MS;
}

/** Until the next look of who is at this position of the line, from 1. A place that frees tells the first of the line sooner. */
export function nextLookMs(position: number): number {
  return Math.min(LOOK_MS_MAX, Math.max(LOOK_MS_MIN, position * LOOK_MS_PER_POSITION));
}
