export const SWEEP_WORKFLOW = 'sweepMaintenance';
/** One Temporal Schedule for the whole installation. */
export const SWEEP_SCHEDULE_ID = 'maintenance/sweep';
export const SWEEP_INTERVAL_MS = 60_000;

/** The result of one area: its rows, how many of them could not be mended, or `broken` where the area could not be swept. */
export type AreaResult = { seen: number; failed: number } | { broken: string };

/** By the name of the area. */
export type SweepResult = Record<string, AreaResult>;

/** The workflow that the schedule starts. Temporal derives the id of each run from the schedule's. */
export function sweepMaintenanceStart(taskQueue: string) {
  return {
    type: 'startWorkflow' as const,
    workflowType: SWEEP_WORKFLOW,
    taskQueue,
    args: [],
    staticSummary: 'starts work that lost its workflow, and deletes what is past its time',
  };
}
