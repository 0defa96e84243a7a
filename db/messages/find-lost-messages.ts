import type { MessageRef } from '../../domain/messages/messages.ts';
import type { Database } from '../client.ts';

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
    `SELECT id AS "messageId", workspace_id AS "workspaceId", environment_id AS "environmentId"
     FROM find_lost_messages(make_interval(secs => ?), make_interval(secs => ?), ?)`,
    [look.olderThanSeconds, look.overdueBySeconds, look.most],
  );
  return rows;
}
