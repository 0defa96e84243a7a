import { payloadOf } from '../../domain/events/platform-events.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Database, EnvironmentTransaction, Tenant } from '../client.ts';
import type { RaisedEvent } from './events.ts';

/** The environments with events in the outbox, in the order of their ids, after `afterId`. */
export async function findRaisedEvents(
  db: Database,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<Tenant[]> {
  const rows = await db.directory.rows<{ environment_id: string; workspace_id: string }>(
    'find_raised_events',
    'SELECT environment_id, workspace_id FROM find_raised_events(CAST(? AS uuid), ?)',
    [afterId, limit],
  );
  return rows.map((row) => ({ environmentId: row.environment_id, workspaceId: row.workspace_id }));
}

/** Locks the oldest events of the environment, in their order, with their payloads. What another process relays is left to it. */
export async function lockRaisedEvents(tx: EnvironmentTransaction, most: number): Promise<RaisedEvent[]> {
  const rows = await tx.rows<Omit<RaisedEvent, 'data'> & { snapshot: JsonObject }>(
    'lock_raised_events',
    `SELECT id, type, snapshot, occurred_at AS "occurredAt" FROM raised_events
     WHERE environment_id = current_environment_id() AND look_again_at <= now() ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED`,
    [most],
  );
  return rows.map(({ snapshot, ...event }) => ({ ...event, data: payloadOf(event.type, snapshot) }));
}

export async function deleteRaisedEvents(tx: EnvironmentTransaction, events: readonly RaisedEvent[]): Promise<void> {
  await tx.raw('delete_raised_events', 'DELETE FROM raised_events WHERE id = ANY(CAST(? AS uuid[]))', [
    events.map(({ id }) => id),
  ]);
}

/** One that could not be relayed is looked at again in a minute, and holds up no other. */
export async function putOffRaisedEvent(tx: EnvironmentTransaction): Promise<void> {
  await tx.raw(
    'put_off_raised_event',
    `UPDATE raised_events SET look_again_at = now() + interval '1 minute' WHERE id = (SELECT id FROM raised_events
       WHERE environment_id = current_environment_id() AND look_again_at <= now() ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)`,
  );
}

/** Rows of one call: a transaction of well under a second. */
const ROWS_MAX = 1_000;

/** Deletes a part of the events, in every environment, that were kept for their time. 0: none is left. */
export async function deleteOldEvents(db: Database): Promise<number> {
  const row = await db.directory.row<{ deleted: number }>(
    'delete_old_events',
    'SELECT delete_old_events(?) AS deleted',
    [ROWS_MAX],
  );
  return row?.deleted ?? 0;
}

/** Deletes a part of what belongs to deleted topics and subscriptions. 0: nothing is left that can go now. */
export async function deleteDeletedTopics(db: Database): Promise<number> {
  const row = await db.directory.row<{ deleted: number }>(
    'delete_deleted_topics',
    'SELECT delete_deleted_topics(?) AS deleted',
    [ROWS_MAX],
  );
  return row?.deleted ?? 0;
}
