import type { Database, Tenant } from '../client.ts';

/** A workspace with an alert target, and the environment in which it is told. */
export type AlertTargetRow = Tenant;

/** Workspaces that have an alert target, in the order of their ids. */
export async function findAlertTargets(
  db: Database,
  page: { afterId: string; limit: number },
): Promise<AlertTargetRow[]> {
  const { rows } = await db.directory.raw<{ rows: AlertTargetRow[] }>(
    'SELECT workspace_id AS "workspaceId", environment_id AS "environmentId" FROM find_alert_targets(?, ?)',
    [page.afterId, page.limit],
  );
  return rows;
}
