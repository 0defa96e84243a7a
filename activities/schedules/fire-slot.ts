import type { EnvironmentTransaction } from '../../db/client.ts';
import { noteIfOfBudget } from '../../db/budgets/admission.ts';
import { isHalted } from '../../db/environments/halt.ts';
import type { Publisher } from '../../db/messages/accept/accept-messages.ts';
import { findRun, findStop, publishFiring, readOverlap } from '../../db/schedules/firings.ts';
import { lockSchedule } from '../../db/schedules/queries.ts';
import { recordRun } from '../../db/schedules/runs.ts';
import type { ScheduleRecord } from '../../db/schedules/records.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { EventRef } from '../../domain/events/events.ts';
import { parseCron } from '../../domain/schedules/cron.ts';
import { firingMessageId } from '../../domain/schedules/firing-id.ts';
import type { Fired, FiringRef, RunError, RunOutcome } from '../../domain/schedules/schedules.ts';
import { isSlot, nextSlots } from '../../domain/schedules/slots.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { startScheduled } from '../messages/start-scheduled.ts';
import { tellSchedule, type TellDependencies } from './tell-schedule.ts';

const NOTHING: FiredSlot = { outcome: 'none', messageIds: [], eventId: null };

type FireDependencies = Pick<
  ActivityDependencies,
  'vault' | 'wakeMessage' | 'paceMessages' | 'fanOutEvent' | 'logger'
> &
  TellDependencies;

/**
 * Fires one slot of a schedule. It decides everything from the locked row, in the transaction that publishes the message and records the
 * run, so it may run any number of times: a second one finds the run. What cannot be published (a quota that is used up, a URL group that
 * is gone) is recorded as a failed run, and the next slot tries again. The claimers deliver what is due; what is due later, and the fan-out of
 * an event, are started here.
 */
export function fireSlot(deps: FireDependencies) {
  return async (firing: FiringRef): Promise<Fired> => {
    const fired = await fireOrFail(deps, firing);
    if (fired === null) {
      // The row is deleted, and Temporal does not know it yet.
      await tellSchedule(deps, firing);
      return { outcome: 'none', messageIds: [] };
    }
    const { outcome, eventId, messageIds } = fired;
    const { workspaceId, environmentId } = firing;
    if (eventId !== null) await fanOut(deps, { eventId, workspaceId, environmentId });
    await startScheduled(deps, { workspaceId, environmentId }, messageIds);
    return { outcome, messageIds };
  };
}

/** The run stands: a fan-out that is not started here is started by the sweep. */
async function fanOut(deps: FireDependencies, ref: EventRef): Promise<void> {
  try {
    await deps.fanOutEvent(ref);
  } catch (error) {
    deps.logger.warn({ ...ref, err: error }, 'the fan-out of an event was not started: the sweep starts it');
  }
}

/** `eventId` is that of the event that was published to a topic. */
type FiredSlot = Fired & { eventId: string | null };

/** Null where the schedule is gone. */
async function fireOrFail(deps: FireDependencies, firing: FiringRef): Promise<FiredSlot | null> {
  try {
    return await deps.db.withEnvironment(firing, (tx) => fire(tx, deps, firing));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, publicMessage: message } = error;
    if (code === 'INTERNAL_ERROR') deps.logger.error({ ...firing, err: error.cause }, message);
    return deps.db.withEnvironment(firing, async (tx) => {
      const failed = await recordFailure(tx, firing, { code, message });
      await noteIfOfBudget(tx, error);
      return failed;
    });
  }
}

/** Null where the schedule is gone. */
async function fire(
  tx: EnvironmentTransaction,
  { vault }: Pick<ActivityDependencies, 'vault'>,
  firing: FiringRef,
): Promise<FiredSlot | null> {
  const schedule = await lockSchedule(tx, firing.scheduleId);
  if (schedule === null) return null;
  const { trigger } = firing;
  const nominalAt = new Date(firing.nominalAt);
  const found = await findRun(tx, { scheduleId: schedule.id, trigger, nominalAt });
  // A slot that was given up, and whose firing comes all the same.
  const run = found?.outcome === 'missed' ? null : found;
  if (run !== null && run.outcome !== 'queued' && run.outcome !== 'waiting') return run;
  const isQueued = run?.outcome === 'queued';
  if (run === null && !isDue(schedule, firing, nominalAt)) return NOTHING;
  const dueAt = trigger === 'manual' ? undefined : (nextOf(schedule, nominalAt) ?? null);
  const hindrance = isQueued ? null : await hindranceOf(tx, schedule, { nominalAt, isWaiting: run !== null });
  if (hindrance !== null) {
    const { outcome, ...error } = hindrance;
    if (run?.outcome !== outcome) {
      await recordRun(tx, {
        scheduleId: schedule.id,
        trigger,
        nominalAt,
        outcome,
        messageIds: [],
        error,
        ...(dueAt === undefined ? {} : { dueAt }),
      });
    }
    return { outcome, messageIds: [], eventId: null };
  }
  // The run of a firing that waited is its fence: the ids of its messages need not follow from it.
  const ids =
    run?.outcome === 'waiting'
      ? {}
      : {
          messageIdOf: (endpointId: string | null) =>
            firingMessageId({ scheduleId: schedule.id, trigger, nominalAt, endpointId }),
        };
  const published = await publishFiring(tx, vault, publisherOf(firing, schedule), schedule, {
    trigger,
    nominalAt,
    ...ids,
    ...(dueAt === undefined ? {} : { dueAt }),
  });
  return { outcome: 'published', ...published };
}

/** Temporal's calendars hold times that are no slots (domain/schedules/calendar-specs.ts), and may be older than the row. */
function isDue(schedule: ScheduleRecord, { trigger }: FiringRef, nominalAt: Date): boolean {
  return trigger === 'schedule' && !schedule.paused && isSlot(parseCron(schedule.cron), schedule.timezone, nominalAt);
}

function nextOf(schedule: ScheduleRecord, nominalAt: Date): Date | undefined {
  return nextSlots(parseCron(schedule.cron), schedule.timezone, nominalAt, 1)[0];
}

type Hindrance = RunError & { outcome: Extract<RunOutcome, 'skipped' | 'waiting'> };

async function hindranceOf(
  tx: EnvironmentTransaction,
  schedule: ScheduleRecord,
  { nominalAt, isWaiting }: { nominalAt: Date; isWaiting: boolean },
): Promise<Hindrance | null> {
  const skipped = (code: string, message: string): Hindrance => ({ outcome: 'skipped', code, message });
  // A run that waited until the schedule was paused.
  if (schedule.paused) return skipped('PAUSED', 'The schedule was paused while this run waited.');
  const halted = skipped('ENVIRONMENT_HALTED', 'The environment was halted. What is due then is not made up.');
  if (await isHalted(tx)) return halted;
  // Workers or Temporal were away, and the firing comes after the resumption. A run that waits came while nothing was stopped.
  const stop = isWaiting ? null : await findStop(tx, schedule.id, nominalAt);
  if (stop === 'paused') return skipped('PAUSED', 'The schedule was paused. What is due then is not made up.');
  if (stop === 'halted') return halted;
  if (schedule.overlap === 'allow_all') return null;
  const { messageId, waitingSince } = await readOverlap(tx, schedule.id);
  if (messageId === null) return null;
  const why = `Message ${messageId} of an earlier run had not ended.`;
  if (schedule.overlap === 'skip') return skipped('OVERLAP', why);
  if (waitingSince !== null && waitingSince.getTime() !== nominalAt.getTime()) {
    return skipped('OVERLAP', `${why} The run of ${waitingSince.toISOString()} waits for it already.`);
  }
  return { outcome: 'waiting', code: 'OVERLAP', message: why };
}

/** It publishes in the name of the schedule's creator, whose key is charged. A run that was queued by hand was let through the halt. */
function publisherOf({ workspaceId, environmentId, trigger }: FiringRef, { createdBy }: ScheduleRecord): Publisher {
  return {
    tenant: { workspaceId, environmentId },
    publishedBy: createdBy,
    apiKeyId: createdBy.type === 'api_key' ? createdBy.id : null,
    publishesWhileHalted: trigger === 'manual',
  };
}

async function recordFailure(tx: EnvironmentTransaction, firing: FiringRef, error: RunError): Promise<FiredSlot> {
  const schedule = await lockSchedule(tx, firing.scheduleId);
  if (schedule === null) return NOTHING;
  const { trigger } = firing;
  const nominalAt = new Date(firing.nominalAt);
  const dueAt = trigger === 'manual' ? {} : { dueAt: nextOf(schedule, nominalAt) ?? null };
  const run = {
    scheduleId: schedule.id,
    trigger,
    nominalAt,
    outcome: 'failed',
    messageIds: [],
    error,
    ...dueAt,
  } as const;
  await recordRun(tx, run);
  return { outcome: 'failed', messageIds: [], eventId: null };
}
