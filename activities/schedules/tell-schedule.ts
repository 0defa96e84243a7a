import type { EnvironmentTransaction } from '../../db/client.ts';
import { markForgotten, markTold } from '../../db/schedules/changes.ts';
import { readPlan, type ReadPlan } from '../../db/schedules/firings.ts';
import { recordMissed } from '../../db/schedules/runs.ts';
import { parseCron } from '../../domain/schedules/cron.ts';
import { firedFrom, MISSED_SLOTS_MAX, RENEW_AFTER_MS, type ScheduleRef } from '../../domain/schedules/schedules.ts';
import { dueAfter, slotsBetween } from '../../domain/schedules/slots.ts';
import type { ActivityDependencies } from '../dependencies.ts';

export type TellDependencies = Pick<ActivityDependencies, 'db' | 'logger' | 'putSchedule' | 'forgetSchedule'>;

/** A row that changes while Temporal is told of it is told again. Nobody changes one so often. */
const TELLS_MAX = 10;

/**
 * Makes Temporal know a schedule's row, records that, and repeats if the row has changed meanwhile: the newest revision
 * wins. A crash in between leaves a row that the sweep finds, or calendars whose firings the row refuses. Slots that
 * came due before are fired within the catch-up; older ones without a run are recorded as missed.
 */
export async function tellSchedule(deps: TellDependencies, ref: ScheduleRef): Promise<void> {
  for (let tells = 0; tells < TELLS_MAX; tells++) {
    const plan = await deps.db.withEnvironment(ref, (tx) => readPlan(tx, ref.scheduleId), { readOnly: true });
    if (plan === null || plan.isDeleted) {
      await deps.forgetSchedule(ref.scheduleId);
      await deps.db.withEnvironment(ref, (tx) => markForgotten(tx, ref.scheduleId));
      return;
    }
    const now = new Date();
    await deps.putSchedule(ref, plan, now);
    const missed = await deps.db.withEnvironment(ref, (tx) => recordTold(tx, ref.scheduleId, plan, now));
    if (missed === null) continue;
    if (missed > 0) deps.logger.warn({ ...ref, missed }, 'slots of a schedule were missed: older than its catch-up');
    return;
  }
  throw new Error(`schedule ${ref.scheduleId} changed ${TELLS_MAX} times while Temporal was told of it`);
}

/** Returns how many slots are recorded as missed; null where the row has changed meanwhile. */
async function recordTold(
  tx: EnvironmentTransaction,
  scheduleId: string,
  plan: ReadPlan,
  now: Date,
): Promise<number | null> {
  const renewAt = new Date(now.getTime() + RENEW_AFTER_MS);
  const told = { revision: plan.revision, renewAt, dueAt: dueAfter(plan, now) };
  if (!(await markTold(tx, scheduleId, told))) return null;
  const { cron, timezone, catchUpSeconds, paused, dueAt } = plan;
  if (paused || dueAt === null) return 0;
  const slots = slotsBetween(parseCron(cron), timezone, [dueAt, firedFrom(plan, now)], MISSED_SLOTS_MAX);
  return recordMissed(tx, { scheduleId, slots, catchUpSeconds });
}
