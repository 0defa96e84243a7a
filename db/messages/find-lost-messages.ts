import type { MessageRef } from '../../domain/messages/messages.ts';
import type { Database } from '../client.ts';

/** Accepted messages of all environments, oldest first, whose workflow never started or is long overdue. */
export async function findLostMessages(
  db: Database,
  page: { olderThanSeconds: number; overdueBySeconds: number; afterId: string; limit: number },
): Promise<MessageRef[]> {
  const { rows } = await db.directory.raw<{ rows: MessageRef[] }>(
    `SELECT id AS "messageId", workspace_id AS "workspaceId", environment_id AS "environmentId"
     FROM find_lost_messages(make_interval(secs => ?), make_interval(secs => ?), ?, ?)`,
    [page.olderThanSeconds, page.overdueBySeconds, page.afterId, page.limit],
  );
  return rows;
}
