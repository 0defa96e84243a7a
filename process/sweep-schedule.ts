import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import {
  SWEEP_ATTRIBUTES,
  SWEEP_INTERVAL_MS,
  SWEEP_SCHEDULE_ID,
  sweepMaintenanceStart,
} from '../temporal/maintenance/sweep-maintenance.ts';
import { TASK_QUEUE } from '../temporal/task-queues.ts';

/** The next sweep makes up for a missed one. */
const SWEEP_CATCH_UP_MS = 60_000;

/**
 * One schedule for the whole installation: the first worker creates it, the others find it. A schedule of an earlier version
 * is updated to this version's workflow and queue. An operator's pause stays. A sweep begins at once, so that what a crash left waits
 * for no minute to pass; where one runs already, none is added, however many workers start together.
 */
export async function ensureSweepSchedule(
  client: Client,
  taskQueue = TASK_QUEUE,
  scheduleId = SWEEP_SCHEDULE_ID,
): Promise<void> {
  const wanted = {
    spec: { intervals: [{ every: SWEEP_INTERVAL_MS }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: SWEEP_CATCH_UP_MS },
    action: sweepMaintenanceStart(taskQueue),
    typedSearchAttributes: SWEEP_ATTRIBUTES,
  };
  try {
    await client.schedule.create({ scheduleId, ...wanted });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await client.schedule.getHandle(scheduleId).update(({ state }) => ({ ...wanted, state }));
  }
  const schedule = client.schedule.getHandle(scheduleId);
  const { state } = await schedule.describe();
  // A trigger runs a paused schedule, too.
  if (!state.paused) await schedule.trigger(ScheduleOverlapPolicy.SKIP);
}
