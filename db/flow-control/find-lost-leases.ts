import type { MessageRef } from '../../domain/messages/messages.ts';
import type { Database } from '../client.ts';

/** Messages of all environments whose lease ended with nobody sending, or whose start after the grant was lost. */
export async function findLostLeases(
  db: Database,
  page: { olderThanSeconds: number; afterId: string; limit: number },
): Promise<MessageRef[]> {
  const { rows } = await db.directory.raw<{ rows: MessageRef[] }>(
    `SELECT id AS "messageId", workspace_id AS "workspaceId", environment_id AS "environmentId"
     FROM find_lost_flow_control_leases(make_interval(secs => ?), ?, ?)`,
    [page.olderThanSeconds, page.afterId, page.limit],
  );
  return rows;
}
