import type { RunTrigger } from '../../domain/schedules/schedules.ts';
import type { EnvironmentTransaction } from '../client.ts';
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

/**
 * Publishes the message of a firing, or one for each endpoint of its URL group, and records its run, the schedule's row being locked.
 * Returns the ids. Where a message of the firing is there already, its ids are those: the key of `messages` tells them apart within one
 * retention class only, and the plan may have changed since.
 * @throws {ServiceError} what `acceptMessages` throws, and NOT_FOUND or CONFLICT for its URL group; nothing is published then.
 */
export async function publishFiring(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'open' | 'seal'>,
  publisher: Publisher,
  schedule: ScheduleRecord,
  { messageIdOf, ...firing }: Firing,
): Promise<string[]> {
  const request = openDestination(vault, publisher.tenant, schedule.id, schedule.destination);
  const drafts = (await draftsOf(tx, request)).map((draft) => ({
    ...draft,
    scheduleId: schedule.id,
    ...(messageIdOf === undefined ? {} : { id: messageIdOf(draft.endpoint?.id ?? null) }),
  }));
  const earlier = messageIdOf === undefined ? [] : await findEarlier(tx, drafts);
  const messageIds = earlier.length > 0 ? earlier : await accepted(tx, vault, publisher, drafts);
  await recordRun(tx, { ...firing, scheduleId: schedule.id, outcome: 'published', messageIds, error: null });
  return messageIds;
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
