import { EVERY_ENVIRONMENT, searchAttributes } from '../search-attributes.ts';
import { descriptionOf, PRIORITY_KEYS } from '../start.ts';

export const SWEEP_WORKFLOW = 'sweepMaintenance';
/** One Temporal Schedule for the whole installation. */
export const SWEEP_SCHEDULE_ID = 'maintenance/sweep';
export const SWEEP_INTERVAL_MS = 60_000;

/** The result of one area: its rows, how many of them could not be mended, or `broken` where the area could not be swept. */
export type AreaResult = { seen: number; failed: number } | { broken: string };

export type SweepResult = Record<string, AreaResult>;

const DESCRIPTION = descriptionOf({
  does:
    'Once a minute, finds and mends what a crash may leave behind: work that lost its workflow, and rows past their time. Its ' +
    'result names each area with the rows that it saw and could not mend.',
  standsStill:
    'The next one begins when it ends, and it ends within its time-outs once a worker and PostgreSQL are back. It may be ' +
    'terminated. `Stage` `swept_in_part`: look in the log of the worker for the area.',
});

/** By these the Temporal UI finds the schedule and its runs; the default view leaves them out by their `WorkflowType`. */
export const SWEEP_ATTRIBUTES = searchAttributes({ environment: EVERY_ENVIRONMENT });

/** The workflow that the schedule starts. Temporal derives the id of each run from the schedule's. */
export function sweepMaintenanceStart(taskQueue: string) {
  return {
    type: 'startWorkflow' as const,
    workflowType: SWEEP_WORKFLOW,
    taskQueue,
    args: [],
    // One workflow a minute, which mends what an overload loses: it must not wait behind the overload.
    priority: { priorityKey: PRIORITY_KEYS.invocation },
    staticSummary: 'starts work that lost its workflow, and deletes what is past its time',
    staticDetails: DESCRIPTION,
    typedSearchAttributes: SWEEP_ATTRIBUTES,
  };
}
