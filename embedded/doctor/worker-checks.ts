import { pino } from 'pino';
import { ScheduleNotFoundError } from '@temporalio/client';
import { WorkerWatch } from '../../api/health/worker-watch.ts';
import { SWEEP_SCHEDULE_ID } from '../../temporal/maintenance/sweep-maintenance.ts';
import { ACTIVITY_QUEUES, activityQueue, TASK_QUEUE } from '../../temporal/task-queues.ts';
import { type Check, fail, type Finding, ok, skipped } from './check.ts';

const PAGE = 'runbooks.md#noworker';
const SWEEP_PAGE = 'runbooks.md#sweepstale';
const SWEEP_SECONDS_MAX = 300;

const QUEUES = [
  { name: 'workers-workflows', taskQueue: TASK_QUEUE, polls: 'workflows' },
  { name: 'workers-dispatches', taskQueue: TASK_QUEUE, polls: 'activities' },
  ...ACTIVITY_QUEUES.map((queue) => ({
    name: `workers-${queue}`,
    taskQueue: activityQueue(TASK_QUEUE, queue),
    polls: 'activities' as const,
  })),
] as const;

/** Whether workers take up what comes, and the sweep mends what is left. */
export const WORKER_CHECKS: readonly Check[] = [
  ...QUEUES.map(({ name, taskQueue, polls }): Check => ({
    name,
    page: PAGE,
    holds: `A worker polls ${taskQueue} for ${polls}`,
    needs: ['namespace'],
    run: async (subject) => {
      const temporal = await subject.temporalClient();
      const watch = new WorkerWatch({ temporal, taskQueue, polls, logger: pino({ level: 'silent' }) });
      const state = await watch.look();
      if (state === 'unknown') return fail(`Temporal does not say who polls ${taskQueue}`, 'look into Temporal’s log');
      return state === 'up'
        ? ok(`A worker polls ${taskQueue} for ${polls}.`)
        : fail(`No worker polls ${taskQueue} for ${polls}, so that work stands still`, 'start a worker');
    },
  })),
  {
    name: 'sweep-schedule',
    page: SWEEP_PAGE,
    holds: 'The schedule of the sweep is there and not paused',
    needs: ['namespace'],
    run: async (subject) => {
      const temporal = await subject.temporalClient();
      try {
        const { state } = await temporal.schedule.getHandle(SWEEP_SCHEDULE_ID).describe();
        return state.paused
          ? fail(
              `The schedule ${SWEEP_SCHEDULE_ID} is paused, so nothing mends what crashes leave`,
              'unpause it in the Temporal UI',
            )
          : ok(`The schedule ${SWEEP_SCHEDULE_ID} is there.`);
      } catch (error) {
        if (!(error instanceof ScheduleNotFoundError)) throw error;
        return fail(`Temporal has no schedule ${SWEEP_SCHEDULE_ID}`, 'start a worker, which makes it');
      }
    },
  },
  {
    name: 'sweep-age',
    page: SWEEP_PAGE,
    holds: 'The sweep began within the last five minutes',
    needs: ['sweep-schedule'],
    run: async (subject) => {
      const temporal = await subject.temporalClient();
      const { info } = await temporal.schedule.getHandle(SWEEP_SCHEDULE_ID).describe();
      const begun = [info.createdAt, ...info.recentActions.map(({ takenAt }) => takenAt)].map(Number);
      return judgeSweep((Date.now() - Math.max(...begun)) / 1_000, info.recentActions.length > 0);
    },
  },
];

export function judgeSweep(ageSeconds: number, hasRun: boolean): Finding {
  const age = `${Math.max(0, Math.round(ageSeconds))} s ago`;
  if (ageSeconds > SWEEP_SECONDS_MAX)
    return fail(`The last sweep began ${age}`, 'look into the worker’s log for the sweep');
  return hasRun ? ok(`The last sweep began ${age}.`) : skipped('The schedule is new, and the sweep has not run yet.');
}
