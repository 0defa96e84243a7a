import type { Database, Tenant } from '../client.ts';

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

export interface DueEnvironment extends Tenant {
  /** An attempt was lost with its worker. */
  isLost: boolean;
  /** Temporal has not handed a message over that was due half a minute ago. */
  isLate: boolean;
}

/** Environments in which a message is due or an attempt is lost, in the order of their ids. */
export async function findDueLanes(
  db: Pick<Database, 'directory'>,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<DueEnvironment[]> {
  return db.directory.rows<DueEnvironment>(
    'find_due_lanes',
    `SELECT workspace_id AS "workspaceId", environment_id AS "environmentId", is_lost AS "isLost", is_late AS "isLate"
     FROM find_due_lanes(?, ?)`,
    [afterId, limit],
  );
}
