import type { MessageRef } from '../../domain/messages/messages.ts';
import type { FlowControlKeyRef } from '../../domain/flow-control/flow-control.ts';
import type { Database, EnvironmentTransaction } from '../client.ts';
import { rowsAfter } from '../page.ts';

/** Messages of all environments whose lease ended with nobody sending, or whose start after the grant was lost. */
export async function findLostLeases(
  db: Database,
  page: { olderThanSeconds: number; afterId: string; limit: number },
): Promise<MessageRef[]> {
  const { rows } = await db.directory.raw<{ rows: MessageRef[] }>(
    'find_lost_leases',
    `SELECT id AS "messageId", workspace_id AS "workspaceId", environment_id AS "environmentId"
     FROM find_lost_flow_control_leases(make_interval(secs => ?), ?, ?)`,
    [page.olderThanSeconds, page.afterId, page.limit],
  );
  return rows;
}

/** Keys of all environments whose first message has been due for a while, with no pacer that looks at them soon. */
export async function findWaitingKeys(
  db: Database,
  page: { dueForSeconds: number; afterId: string; limit: number },
): Promise<FlowControlKeyRef[]> {
  const { rows } = await db.directory.raw<{ rows: FlowControlKeyRef[] }>(
    'find_waiting_keys',
    `SELECT id AS "keyId", workspace_id AS "workspaceId", environment_id AS "environmentId"
     FROM find_waiting_flow_control_keys(make_interval(secs => ?), ?, ?)`,
    [page.dueForSeconds, page.afterId, page.limit],
  );
  return rows;
}

/** Ids, in order, of the keys of this environment with waiting messages. */
export async function listWaitingKeys(tx: EnvironmentTransaction, after: string, limit: number): Promise<string[]> {
  const where = `f.environment_id = current_environment_id()
    AND EXISTS (SELECT FROM flow_control_queue q WHERE q.key_id = f.id AND q.granted_at IS NULL)`;
  const rows = await rowsAfter<{ id: string }>(tx, {
    name: 'list_waiting_keys',
    columns: 'f.id',
    from: 'flow_control_keys f',
    where,
    key: 'f.id',
    asked: { after, limit },
  });
  return rows.map(({ id }) => id);
}
