import { ServiceError } from '../../domain/errors.ts';
import { EVENT_TYPE_DEFAULT } from '../../domain/events/topics.ts';
import type { PublishRequest } from '../../domain/messages/publish-request.ts';
import type { RunTrigger } from '../../domain/schedules/schedules.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { type AcceptedEvent, publishEvents } from '../events/publish-event.ts';
import { acceptMessages, type Publisher } from '../messages/accept/accept-messages.ts';
import { draftsOf } from '../messages/accept/draft-messages.ts';
import type { MessageDraft } from '../messages/accept/message-candidate.ts';
import type { Vault } from '../secrets/vault.ts';
import { openDestination } from './destination.ts';
import { recordRun } from './record-run.ts';
import type { ScheduleRecord } from './records.ts';

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
 * being locked. Returns the ids. Where a message of the firing is there already, its ids are those: the key of `messages` tells them apart
 * within one retention class only, and the plan may have changed since.
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
  const { rows } = await tx.raw<{ rows: { id: string }[] }>('SELECT id FROM messages WHERE id = ANY(?) ORDER BY id', [
    drafts.flatMap(({ id }) => id ?? []),
  ]);
  return rows.map(({ id }) => id);
}
