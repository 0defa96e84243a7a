import type { EventRef } from '../../domain/events/events.ts';
import type { Database } from '../client.ts';

/** Events of all environments whose fan-out no workflow may be doing. */
export async function findUnfannedEvents(
  db: Database,
  page: { olderThanSeconds: number; afterId: string; limit: number },
): Promise<EventRef[]> {
  const { rows } = await db.directory.raw<{ rows: { id: string; workspace_id: string; environment_id: string }[] }>(
    'SELECT id, workspace_id, environment_id FROM find_unfanned_events(make_interval(secs => ?), ?, ?)',
    [page.olderThanSeconds, page.afterId, page.limit],
  );
  return rows.map((row) => ({ eventId: row.id, workspaceId: row.workspace_id, environmentId: row.environment_id }));
}
