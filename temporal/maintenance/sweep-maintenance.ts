export const SWEEP_WORKFLOW = 'sweepMaintenance';
/** One Temporal Schedule for the whole installation. */
export const SWEEP_SCHEDULE_ID = 'maintenance/sweep';
export const SWEEP_INTERVAL_MS = 60_000;
/** An invocation younger than this is its API process's business. */
export const LOST_AFTER_SECONDS = 30;
/** A read takes up to five tries of a minute: one that is only this late is under way, and is found so. */
export const OVERDUE_READ_SECONDS = 120;

export interface SweepResult {
  invocationsLookedAt: number;
  claimsDeleted: number;
  /** Absent in what ran before there were messages. */
  messagesLookedAt?: number;
  deduplicationsDeleted?: number;
  /** Absent in what ran before reconciliations were taken up again. */
  overdueReadsLookedAt?: number;
  /** Absent in what ran before there were approvals. */
  approvalsLookedAt?: number;
}

/** What the schedule starts. Temporal makes the id of each run from the schedule's. */
export function sweepMaintenanceStart(taskQueue: string) {
  return {
    type: 'startWorkflow' as const,
    workflowType: SWEEP_WORKFLOW,
    taskQueue,
    args: [],
    staticSummary: 'starts work that lost its workflow, and deletes what is past its time',
  };
}
