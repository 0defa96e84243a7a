import type { RunOutcome, RunTrigger, TemporalPlan } from '../../domain/schedules/schedules.ts';
import { ServiceError } from '../../domain/errors.ts';
import { EVENT_TYPE_DEFAULT } from '../../domain/events/topics.ts';
import type { PublishRequest } from '../../domain/messages/publish-request.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { type AcceptedEvent, publishEvents } from '../events/publishing.ts';
import { acceptMessages, type Publisher } from '../messages/accept/accept-messages.ts';
import { draftsOf, type MessageDraft } from '../messages/accept/candidates.ts';
import type { Vault } from '../secrets/vault.ts';
import { openDestination, type ScheduleRecord } from './records.ts';
import { recordRun } from './runs.ts';

/** What Temporal must know of a schedule, and of which revision that is. */
export type ReadPlan = TemporalPlan & { revision: number; isDeleted: boolean };

/** Null where the row is gone. */
export async function readPlan(tx: EnvironmentTransaction, scheduleId: string): Promise<ReadPlan | null> {
  return tx.row<ReadPlan>(
    'schedules_read_plan',
    `SELECT cron, timezone, catch_up_seconds AS "catchUpSeconds", paused, due_at AS "dueAt", revision, deleted_at IS NOT NULL AS "isDeleted"
     FROM schedules WHERE id = ?`,
    [scheduleId],
  );
}

export interface Overlapping {
  /** A message of an earlier run that has not ended. A retry of a dead letter is no run. */
  messageId: string | null;
  /** The nominal time of the run that waits for its end. */
  waitingSince: Date | null;
}

/** What of a schedule is still on its way. */
export async function readOverlap(tx: EnvironmentTransaction, scheduleId: string): Promise<Overlapping> {
  const row = await tx.row<Overlapping>(
    'read_overlap',
    `SELECT (SELECT m.id FROM messages m WHERE m.schedule_id = :scheduleId AND m.retry_of IS NULL
         AND m.status IN ('pending', 'scheduled', 'processing') LIMIT 1) AS "messageId",
       (SELECT r.nominal_at FROM schedule_runs r WHERE r.schedule_id = :scheduleId AND r.outcome = 'waiting') AS "waitingSince"`,
    { scheduleId },
  );
  if (row === null) throw new Error('a select without FROM answers one row');
  return row;
}

export interface FoundRun {
  outcome: RunOutcome;
  messageIds: string[];
  eventId: string | null;
}

/** The run of a firing, or null where none is recorded. */
export async function findRun(
  tx: EnvironmentTransaction,
  { scheduleId, trigger, nominalAt }: { scheduleId: string; trigger: RunTrigger; nominalAt: Date },
): Promise<FoundRun | null> {
  return tx.row<FoundRun>(
    'find_run',
    `SELECT outcome, message_ids AS "messageIds", event_id AS "eventId" FROM schedule_runs WHERE schedule_id = ? AND nominal_at = ? AND trigger = ?`,
    [scheduleId, nominalAt, trigger],
  );
}

/**
 * Whether a schedule was paused or its environment halted at a time that has passed. Call it behind the row lock and `readHalt`: a halt that
 * still lasts is theirs to find.
 */
export async function findStop(
  tx: EnvironmentTransaction,
  scheduleId: string,
  at: Date,
): Promise<'paused' | 'halted' | null> {
  const row = await tx.row<{ paused: boolean; halted: boolean }>(
    'find_stop',
    `SELECT s.pauses @> CAST(:at AS timestamptz) AS paused, e.halts @> CAST(:at AS timestamptz) AS halted
     FROM schedules s JOIN environments e ON e.id = s.environment_id WHERE s.id = :scheduleId`,
    { scheduleId, at: at.toISOString() },
  );
  if (row === null) throw new Error(`schedule ${scheduleId} was locked and is gone`);
  if (row.paused) return 'paused';
  return row.halted ? 'halted' : null;
}

/** The nominal time of the run that waits for a message of its schedule to end, or null. */
export async function findWaitingFiring(tx: EnvironmentTransaction, scheduleId: string): Promise<Date | null> {
  const row = await tx.row<{ nominalAt: Date }>(
    'find_waiting_firing',
    `SELECT nominal_at AS "nominalAt" FROM schedule_runs WHERE schedule_id = ? AND outcome = 'waiting'`,
    [scheduleId],
  );
  return row?.nominalAt ?? null;
}

export interface Firing {
  trigger: RunTrigger;
  nominalAt: Date;
  /** The id of the message for an endpoint of a URL group, or of the only one, where ids follow from the firing. */
  messageIdOf?: (endpointId: string | null) => string;
  dueAt?: Date | null;
}

/** What a firing has published: messages, or an event. */
export interface PublishedFiring {
  messageIds: string[];
  eventId: string | null;
}

/**
 * Publishes the message of a firing, or one for each endpoint of its URL group, or its event, and records its run, the schedule's row
 * being locked. Returns the ids. Where a message of the firing is there already, its ids are those.
 * @throws {ServiceError} what `acceptMessages` and `publishEvents` throw, and what is wrong with its destination; nothing is published then.
 */
export async function publishFiring(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'open' | 'seal' | 'digests'>,
  publisher: Publisher,
  schedule: ScheduleRecord,
  { messageIdOf, ...firing }: Firing,
): Promise<PublishedFiring> {
  const request = opened(vault, publisher, schedule);
  if (request.topic !== undefined) {
    const event = await publishEventOf(tx, publisher, schedule.id, { ...request, topic: request.topic }, firing);
    const published = { messageIds: [], eventId: event.id };
    await recordRun(tx, { ...firing, ...published, scheduleId: schedule.id, outcome: 'published', error: null });
    return published;
  }
  const drafts = (await draftsOf(tx, request)).map((draft) => ({
    ...draft,
    scheduleId: schedule.id,
    ...(messageIdOf === undefined ? {} : { id: messageIdOf(draft.endpoint?.id ?? null) }),
  }));
  const earlier = messageIdOf === undefined ? [] : await findEarlier(tx, drafts);
  const messageIds = earlier.length > 0 ? earlier : await accepted(tx, vault, publisher, drafts);
  await recordRun(tx, { ...firing, scheduleId: schedule.id, outcome: 'published', messageIds, error: null });
  return { messageIds, eventId: null };
}

/** @throws {ServiceError} INTERNAL_ERROR where a sealed part does not open: the run fails, and holds up no later slot. */
function opened(
  vault: Pick<Vault, 'open'>,
  { tenant }: Publisher,
  { id, destination }: ScheduleRecord,
): PublishRequest {
  try {
    return openDestination(vault, tenant, id, destination);
  } catch (cause) {
    const message = 'The sealed part of the destination does not open. Give the destination anew.';
    throw new ServiceError('INTERNAL_ERROR', { message, cause });
  }
}

async function publishEventOf(
  tx: EnvironmentTransaction,
  publisher: Publisher,
  scheduleId: string,
  { topic, eventType = EVENT_TYPE_DEFAULT, body = null }: PublishRequest & { topic: string },
  { trigger, nominalAt }: Firing,
): Promise<AcceptedEvent> {
  // A firing that is tried again finds its event by this id, also where its run is kept no longer.
  const ownId = `${scheduleId}.${trigger}.${nominalAt.toISOString()}`;
  const wanted = { topic, type: eventType, data: JSON.stringify(body), ownId, occurredAt: nominalAt };
  const [event] = await publishEvents(tx, publisher, [wanted]);
  if (event === undefined) throw new Error('an event was accepted without a result');
  if (event instanceof ServiceError) throw event;
  return event;
}

async function accepted(...args: Parameters<typeof acceptMessages>): Promise<string[]> {
  return (await acceptMessages(...args)).map((message) => message.messageId);
}

async function findEarlier(tx: EnvironmentTransaction, drafts: readonly MessageDraft[]): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>('find_earlier', 'SELECT id FROM messages WHERE id = ANY(?) ORDER BY id', [
    drafts.flatMap(({ id }) => id ?? []),
  ]);
  return rows.map(({ id }) => id);
}
