import { markForgotten, markTold } from '../../db/schedules/mark-told.ts';
import { readPlan, type ReadPlan } from '../../db/schedules/read-plan.ts';
import { RENEW_AFTER_MS, type ScheduleRef } from '../../domain/schedules/schedules.ts';
import { dueAfter } from '../../domain/schedules/slots.ts';
import type { ActivityDependencies } from '../dependencies.ts';

export type TellDependencies = Pick<ActivityDependencies, 'db' | 'logger' | 'putSchedule' | 'forgetSchedule'>;

/** A row that changes while Temporal is told of it is told again. Nobody changes one so often. */
const TELLS_MAX = 10;

/**
 * Has Temporal know a schedule as its row says, and records it. Whoever tells looks at the row afterwards and tells again where it has
 * changed, so that of two tellers the last one has told the newest revision. A crash in between leaves a row that the sweep finds, or
 * calendars whose firings the row refuses. What came due before Temporal knew is fired now, within the schedule's catch-up.
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
    await deps.putSchedule(ref, plan);
    warnOfLostSlots(deps, ref, plan, now);
    const told = {
      revision: plan.revision,
      renewAt: new Date(now.getTime() + RENEW_AFTER_MS),
      dueAt: dueAfter(plan, now),
    };
    if (await deps.db.withEnvironment(ref, (tx) => markTold(tx, ref.scheduleId, told))) return;
  }
  throw new Error(`schedule ${ref.scheduleId} changed ${TELLS_MAX} times while Temporal was told of it`);
}

/** Whoever was away for longer than the catch-up has lost slots, which nothing else shows. */
function warnOfLostSlots(
  { logger }: Pick<TellDependencies, 'logger'>,
  ref: ScheduleRef,
  plan: ReadPlan,
  now: Date,
): void {
  const { dueAt, catchUpSeconds } = plan;
  const firedFrom = new Date(now.getTime() - catchUpSeconds * 1_000);
  if (dueAt === null || dueAt >= firedFrom) return;
  logger.warn(
    { ...ref, dueAt, firedFrom, catchUpSeconds },
    'slots of a schedule are not fired: they are older than its catch-up',
  );
}
