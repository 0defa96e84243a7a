import type { Database, Tenant } from '../client.ts';

/** Environments that are no longer halted and in which a held message neither queues for a permit nor has one. */
export async function findHeldEnvironments(
  db: Database,
  page: { olderThanSeconds: number; afterId: string; limit: number },
): Promise<Tenant[]> {
  const { rows } = await db.directory.raw<{ rows: Tenant[] }>(
    `SELECT workspace_id AS "workspaceId", environment_id AS "environmentId" FROM find_held_environments(make_interval(secs => ?), ?, ?)`,
    [page.olderThanSeconds, page.afterId, page.limit],
  );
  return rows;
}
