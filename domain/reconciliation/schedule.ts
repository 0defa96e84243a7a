/** The times: docs/reconciliation.md, "When it reads". No imports: workflows read it. */
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Times after the unknown at which it is read. */
export const UNKNOWN_READ_TIMES_MS: readonly number[] = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
  16 * HOUR_MS,
  24 * HOUR_MS,
];

/** An outcome that the provider reports as pending is read once a day, for this many days. */
export const PENDING_READ_INTERVAL_MS = DAY_MS;
export const PENDING_READS_MAX = 30;

/** A success that the provider may still reverse is read once a day, for this many days. */
export const REVERSAL_READ_INTERVAL_MS = DAY_MS;
export const REVERSAL_READS_MAX = 30;

const JITTER_FRACTION = 0.2;

/** Milliseconds until the next read, or null at the schedule's end. `random`, in [0, 1), is the workflow's own. */
export function nextReadDelayMs(
  state: { pending: boolean; reads: number; elapsedMs: number },
  random: number,
): number | null {
  const jitter = 1 + JITTER_FRACTION * (2 * random - 1);
  if (state.pending) return state.reads < PENDING_READS_MAX ? Math.round(PENDING_READ_INTERVAL_MS * jitter) : null;
  const at = UNKNOWN_READ_TIMES_MS[state.reads];
  return at === undefined ? null : Math.max(0, Math.round(at * jitter) - state.elapsedMs);
}

/** The read at which a resumed schedule continues, after `elapsedMs`. The last read is always left. */
export function readsPassed(pending: boolean, elapsedMs: number): number {
  if (pending) return Math.min(Math.floor(elapsedMs / PENDING_READ_INTERVAL_MS), PENDING_READS_MAX - 1);
  const passed = UNKNOWN_READ_TIMES_MS.filter((at) => at <= elapsedMs).length;
  return Math.min(passed, UNKNOWN_READ_TIMES_MS.length - 1);
}

/** Milliseconds until the next read of a success that may be reversed, or null after the last one. */
export function nextReversalReadDelayMs(reads: number, random: number): number | null {
  const jitter = 1 + JITTER_FRACTION * (2 * random - 1);
  return reads < REVERSAL_READS_MAX ? Math.round(REVERSAL_READ_INTERVAL_MS * jitter) : null;
}
