import type { EnvironmentTransaction } from '../../db/client.ts';
import { isHalted } from '../../db/environments/read-halt.ts';
import type { Publisher } from '../../db/messages/accept/accept-messages.ts';
import { findRun } from '../../db/schedules/find-run.ts';
import { lockSchedule } from '../../db/schedules/get-schedule.ts';
import { publishFiring } from '../../db/schedules/publish-firing.ts';
import { readOverlap } from '../../db/schedules/read-overlap.ts';
import { recordRun } from '../../db/schedules/record-run.ts';
import type { ScheduleRecord } from '../../db/schedules/records.ts';
import { ServiceError } from '../../domain/errors.ts';
import { parseCron } from '../../domain/schedules/cron.ts';
import { firingMessageId } from '../../domain/schedules/firing-id.ts';
import type { Fired, FiringRef, RunError, RunOutcome } from '../../domain/schedules/schedules.ts';
import { isSlot, nextSlots } from '../../domain/schedules/slots.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { tellSchedule, type TellDependencies } from './tell-schedule.ts';

const NOTHING: Fired = { outcome: 'none', messageIds: [] };

/**
 * Fires one slot of a schedule. It decides everything from the locked row, in the transaction that publishes the message and records the
 * run, so it may run any number of times: a second one finds the run. What cannot be published (a quota that is used up, a URL group that
 * is gone) is recorded as a failed run, and the next slot tries again.
 */
export function fireSlot(deps: Pick<ActivityDependencies, 'vault'> & TellDependencies) {
  return async (firing: FiringRef): Promise<Fired> => {
    try {
      const fired = await deps.db.withEnvironment(firing, (tx) => fire(tx, deps, firing));
      if (fired !== null) return fired;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { code, publicMessage: message } = error;
      return deps.db.withEnvironment(firing, (tx) => recordFailure(tx, firing, { code, message }));
    }
    // The row is deleted, and Temporal does not know it yet.
    await tellSchedule(deps, firing);
    return NOTHING;
  };
}

/** Null where the schedule is gone. */
async function fire(
  tx: EnvironmentTransaction,
  { vault }: Pick<ActivityDependencies, 'vault'>,
  firing: FiringRef,
): Promise<Fired | null> {
  const schedule = await lockSchedule(tx, firing.scheduleId);
  if (schedule === null) return null;
  const { trigger } = firing;
  const nominalAt = new Date(firing.nominalAt);
  const run = await findRun(tx, { scheduleId: schedule.id, trigger, nominalAt });
  if (run !== null && run.outcome !== 'queued' && run.outcome !== 'waiting') return run;
  const isQueued = run?.outcome === 'queued';
  if (run === null && !isDue(schedule, firing, nominalAt)) return NOTHING;
  const dueAt = trigger === 'manual' ? undefined : (nextOf(schedule, nominalAt) ?? null);
  const hindrance = isQueued ? null : await hindranceOf(tx, schedule, nominalAt);
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
    return { outcome, messageIds: [] };
  }
  // What waited may be old, and an id of its time would lie among messages that are past their retention. Its run is the fence.
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
  return { outcome: 'published', messageIds: published.map((message) => message.messageId) };
}

/** Temporal's calendars hold times that are no slots (domain/schedules/calendar-specs.ts), and may be older than the row. */
function isDue(schedule: ScheduleRecord, { trigger }: FiringRef, nominalAt: Date): boolean {
  return trigger === 'schedule' && !schedule.paused && isSlot(parseCron(schedule.cron), schedule.timezone, nominalAt);
}

function nextOf(schedule: ScheduleRecord, nominalAt: Date): Date | undefined {
  return nextSlots(parseCron(schedule.cron), schedule.timezone, nominalAt, 1)[0];
}

type Hindrance = RunError & { outcome: Extract<RunOutcome, 'skipped' | 'waiting'> };

/** Why a slot publishes nothing now. */
async function hindranceOf(
  tx: EnvironmentTransaction,
  schedule: ScheduleRecord,
  nominalAt: Date,
): Promise<Hindrance | null> {
  const skipped = (code: string, message: string): Hindrance => ({ outcome: 'skipped', code, message });
  // A run that waited until the schedule was paused.
  if (schedule.paused) return skipped('PAUSED', 'The schedule was paused while this run waited.');
  if (await isHalted(tx)) {
    return skipped('ENVIRONMENT_HALTED', 'The environment was halted. What is due then is not made up.');
  }
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

/** It publishes in the name of whoever made the schedule: their key is charged. A run that was queued by hand was let through the halt. */
function publisherOf({ workspaceId, environmentId, trigger }: FiringRef, { createdBy }: ScheduleRecord): Publisher {
  return {
    tenant: { workspaceId, environmentId },
    publishedBy: createdBy,
    apiKeyId: createdBy.type === 'api_key' ? createdBy.id : null,
    publishesWhileHalted: trigger === 'manual',
  };
}

async function recordFailure(tx: EnvironmentTransaction, firing: FiringRef, error: RunError): Promise<Fired> {
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
  return { outcome: 'failed', messageIds: [] };
}
