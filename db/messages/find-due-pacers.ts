import type { Database, Tenant } from '../client.ts';

/** Environments in which a message under the pacer is due within so many seconds, or overdue. */
export async function findDuePacers(
  db: Database,
  page: { dueWithinSeconds: number; afterId: string; limit: number },
): Promise<Tenant[]> {
  const { rows } = await db.directory.raw<{ rows: Tenant[] }>(
    `SELECT workspace_id AS "workspaceId", environment_id AS "environmentId" FROM find_due_message_pacers(make_interval(secs => ?), ?, ?)`,
    [page.dueWithinSeconds, page.afterId, page.limit],
  );
  return rows;
}
