import {
  type Backfill,
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptionsStartWorkflowAction,
  ScheduleOverlapPolicy,
  type ScheduleUpdateOptions,
} from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import { type Calendar, calendarsOf } from '../../domain/schedules/calendar-specs.ts';
import { parseCron } from '../../domain/schedules/cron.ts';
import {
  CALENDARS_HOLD_MS,
  CATCH_UP_SECONDS_MAX,
  firedFrom,
  type ScheduleRef,
  type TemporalPlan,
} from '../../domain/schedules/schedules.ts';
import { offsetsMinutes } from '../../domain/schedules/time-zone.ts';
import { UnknownKeyError } from '../../domain/versioned-keys.ts';
import { fireScheduleAction, temporalScheduleId } from '../../temporal/schedules/fire-schedule.ts';
import { TASK_QUEUE } from '../../temporal/task-queues.ts';
import { TEMPORAL_CALL_TIMEOUT_MS } from '../../temporal/time-outs.ts';

export interface ToldBy {
  /** Shown in the Temporal UI. */
  environmentName: string | null;
  taskQueue?: string;
}

/**
 * Creates or changes the Temporal Schedule, and fires the slots due before Temporal knew it. Temporal starts every firing; the record
 * decides about overlaps (activities/schedules/fire-slot.ts).
 */
export async function putSchedule(
  client: Client,
  ref: ScheduleRef,
  plan: TemporalPlan,
  { environmentName, taskQueue = TASK_QUEUE, now = new Date() }: ToldBy & { now?: Date },
): Promise<void> {
  const scheduleId = temporalScheduleId(ref.scheduleId);
  const from = now.getTime() - CATCH_UP_SECONDS_MAX * 1_000;
  const offsets = offsetsMinutes(plan.timezone, from, now.getTime() + CALENDARS_HOLD_MS);
  const wanted = {
    spec: { calendars: calendarsOf(parseCron(plan.cron), offsets).map(inTemporalsWords) },
    policies: { overlap: ScheduleOverlapPolicy.ALLOW_ALL, catchupWindow: plan.catchUpSeconds * 1_000 },
    action: fireScheduleAction(ref, taskQueue, environmentName),
    state: { paused: plan.paused },
  };
  await client.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, async () => {
    try {
      await client.schedule.create({ scheduleId, ...wanted });
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      await replaced(client, scheduleId, wanted);
    }
    const missed = missedBy(plan, now);
    if (missed !== null) await client.schedule.getHandle(scheduleId).backfill(missed);
  });
}

type Wanted = ScheduleUpdateOptions<ScheduleOptionsStartWorkflowAction<Workflow>>;

/**
 * The SDK reads a schedule before it updates it. A schedule that was sealed with a removed key is deleted and created instead, because it
 * would never fire again. A kill between the two leaves a row whose time passes without a firing, and the sweep creates the schedule.
 */
async function replaced(client: Client, scheduleId: string, wanted: Wanted): Promise<void> {
  const handle = client.schedule.getHandle(scheduleId);
  try {
    await handle.update(() => wanted);
  } catch (error) {
    if (!(error instanceof UnknownKeyError)) throw error;
    await handle.delete();
    await client.schedule.create({ scheduleId, ...wanted });
  }
}

/**
 * Slots due before Temporal knew the schedule. A slot fired twice is refused by its row. The catch-up reaches back from `since`, the time
 * of the change.
 */
function missedBy(plan: TemporalPlan, since: Date): Backfill | null {
  const { dueAt, paused } = plan;
  const now = new Date();
  if (paused || dueAt === null || dueAt > now) return null;
  const earliestMs = Math.max(dueAt.getTime(), firedFrom(plan, since).getTime());
  // The server excludes the start and includes the end.
  return { start: new Date(earliestMs - 1), end: now, overlap: ScheduleOverlapPolicy.ALLOW_ALL };
}

export async function forgetSchedule(client: Client, scheduleId: string): Promise<void> {
  try {
    await client.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, () =>
      client.schedule.getHandle(temporalScheduleId(scheduleId)).delete(),
    );
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}

const MONTHS = [
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
] as const;
const DAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const;

/** The SDK takes months and days of the week by their names. */
function inTemporalsWords({ month, dayOfWeek, ...rest }: Calendar) {
  const named = <Name extends string>(names: readonly Name[], value: number): Name => {
    const name = names[value];
    if (name === undefined) throw new Error(`a calendar holds ${value}, which has no name`);
    return name;
  };
  return {
    ...rest,
    month: month.map(({ start, end, step }) => ({
      start: named(MONTHS, start - 1),
      end: named(MONTHS, end - 1),
      step,
    })),
    dayOfWeek: dayOfWeek.map(({ start, end, step }) => ({ start: named(DAYS, start), end: named(DAYS, end), step })),
  };
}
