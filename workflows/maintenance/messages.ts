export const SWEEP_WORKFLOW = 'sweepMaintenance';
/** One Temporal Schedule for the whole installation. */
export const SWEEP_SCHEDULE_ID = 'maintenance/sweep';
export const SWEEP_INTERVAL_MS = 60_000;
/** An invocation younger than this is its API process's business. */
export const LOST_AFTER_SECONDS = 30;

export interface SweepResult {
  invocationsLookedAt: number;
  claimsDeleted: number;
  /** Absent in what ran before there were messages. */
  messagesLookedAt?: number;
  deduplicationsDeleted?: number;
}
