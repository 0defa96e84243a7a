import {
  type Backfill,
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { type Calendar, calendarsOf } from '../../domain/schedules/calendar-specs.ts';
import { parseCron } from '../../domain/schedules/cron.ts';
import {
  CALENDARS_HOLD_MS,
  CATCH_UP_SECONDS_MAX,
  firedFrom,
  type FiringRef,
  type ScheduleRef,
  type TemporalPlan,
} from '../../domain/schedules/schedules.ts';
import { offsetsMinutes } from '../../domain/schedules/time-zone.ts';
import { fireScheduleAction, fireScheduleStart, temporalScheduleId } from '../../temporal/schedules/fire-schedule.ts';
import { TASK_QUEUE } from '../../temporal/task-queues.ts';
import { TEMPORAL_CALL_TIMEOUT_MS } from '../../temporal/time-outs.ts';
import { startOnce } from '../starts/start-workflow.ts';

export interface ToldBy {
  /** Shown in the Temporal UI. */
  environmentName: string | null;
  /** TASK_QUEUE, unless a test keeps to itself. */
  taskQueue?: string;
}

/** Starts a firing that was queued by hand, or waited. One that runs already is left alone: it reads the row. */
export async function startFiring(
  client: Client,
  firing: FiringRef,
  { environmentName, taskQueue = TASK_QUEUE }: ToldBy,
): Promise<void> {
  await startOnce(client, fireScheduleStart(firing, taskQueue, environmentName));
}

/**
 * Makes or changes the Temporal Schedule, and makes Temporal fire the slots that came due before it knew. Temporal starts every firing:
 * the record decides about overlaps when the firing comes (activities/schedules/fire-slot.ts).
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
      await client.schedule.getHandle(scheduleId).update(() => wanted);
    }
    const missed = missedBy(plan, now);
    if (missed !== null) await client.schedule.getHandle(scheduleId).backfill(missed);
  });
}

/**
 * The slots before it knew the schedule that Temporal must fire: by itself it fires only later ones. A slot that was fired already is
 * fired once more, which its row refuses. The catch-up reaches back from `since`, when the telling began.
 */
function missedBy(plan: TemporalPlan, since: Date): Backfill | null {
  const { dueAt, paused } = plan;
  const now = new Date();
  if (paused || dueAt === null || dueAt > now) return null;
  const earliestMs = Math.max(dueAt.getTime(), firedFrom(plan, since).getTime());
  // The server leaves out the start and takes the end.
  return { start: new Date(earliestMs - 1), end: now, overlap: ScheduleOverlapPolicy.ALLOW_ALL };
}

/** Deletes the Temporal Schedule, where there is one. */
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
