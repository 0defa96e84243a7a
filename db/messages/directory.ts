import type { MessageRef } from '../../domain/messages/messages.ts';
import type { Database, Tenant } from '../client.ts';

/** The messages of one look. Three looks at so many that wait take some hundredths of a second. */
export const LOOKED_AT_MAX = 5_000;

/**
 * Accepted messages of all environments, oldest first, whose workflow never started or is long overdue. A call looks at the newest
 * `most`, and at `most` of all, where the last call stopped: of more than those the other calls find what is lost.
 */
export async function findLostMessages(
  db: Database,
  look: { olderThanSeconds: number; overdueBySeconds: number; most: number },
): Promise<MessageRef[]> {
  const { rows } = await db.directory.raw<{ rows: MessageRef[] }>(
    'find_lost_messages',
    `SELECT id AS "messageId", workspace_id AS "workspaceId", environment_id AS "environmentId"
     FROM find_lost_messages(make_interval(secs => ?), make_interval(secs => ?), ?)`,
    [look.olderThanSeconds, look.overdueBySeconds, look.most],
  );
  return rows;
}

/** Environments in which a message under the pacer is due within so many seconds, or overdue. */
export async function findDuePacers(
  db: Database,
  page: { dueWithinSeconds: number; afterId: string; limit: number },
): Promise<Tenant[]> {
  const { rows } = await db.directory.raw<{ rows: Tenant[] }>(
    'find_due_pacers',
    `SELECT workspace_id AS "workspaceId", environment_id AS "environmentId" FROM find_due_message_pacers(make_interval(secs => ?), ?, ?)`,
    [page.dueWithinSeconds, page.afterId, page.limit],
  );
  return rows;
}

/** Environments that are no longer halted and in which a held message neither queues for a permit nor has one. */
export async function findHeldEnvironments(
  db: Database,
  page: { olderThanSeconds: number; afterId: string; limit: number },
): Promise<Tenant[]> {
  const { rows } = await db.directory.raw<{ rows: Tenant[] }>(
    'find_held_environments',
    `SELECT workspace_id AS "workspaceId", environment_id AS "environmentId" FROM find_held_environments(make_interval(secs => ?), ?, ?)`,
    [page.olderThanSeconds, page.afterId, page.limit],
  );
  return rows;
}

/** Expired deduplication windows of all environments, as `<environment>/<digest>`, in that order. */
export async function findExpiredDeduplications(
  db: Database,
  page: { afterId: string; limit: number },
): Promise<string[]> {
  const { rows } = await db.directory.raw<{ rows: { id: string }[] }>(
    'find_expired_deduplications',
    'SELECT id FROM find_expired_message_deduplications(?, ?)',
    [page.afterId, page.limit],
  );
  return rows.map(({ id }) => id);
}

/** Deletes these windows, except where a new message has taken one meanwhile. Returns the number deleted. */
export async function deleteExpiredDeduplications(db: Database, ids: readonly string[]): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { deleted: number }[] }>(
    'delete_expired_deduplications',
    'SELECT delete_expired_message_deduplications(?::text[]) AS deleted',
    [[...ids]],
  );
  return rows[0]?.deleted ?? 0;
}

/** Messages of one class in one call: a transaction of well under a second. A thousand take some 20 ms. */
const MESSAGES_MAX = 5_000;

/** Deletes a part of the contents, and of the records, of messages that have had their time. 0: none is left. */
export async function deleteOldMessages(db: Database): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { deleted: number }[] }>(
    'delete_old_messages',
    'SELECT delete_old_messages(?) AS deleted',
    [MESSAGES_MAX],
  );
  return rows[0]?.deleted ?? 0;
}
