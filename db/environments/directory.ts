import type { Database, Tenant, WorkspaceTransaction } from '../client.ts';

/** Every environment of the installation, for the operator's commands. Each is then processed inside `withEnvironment`. */
export async function listEveryEnvironment(db: Database): Promise<Tenant[]> {
  return db.directory.rows<Tenant>(
    'list_every_environment',
    'SELECT environment_id AS "environmentId", workspace_id AS "workspaceId" FROM list_environment_ids()',
  );
}

/** Whether the workspace is there and, where one is named, its environment. */
export async function isTenantThere(
  db: Pick<Database, 'withWorkspace'>,
  { workspaceId, environmentId }: { workspaceId: string; environmentId: string | null },
): Promise<boolean> {
  const find = (tx: WorkspaceTransaction) =>
    tx.row<{ isThere: boolean }>(
      'is_tenant_there',
      `SELECT EXISTS (SELECT FROM workspaces w WHERE w.id = current_workspace_id())
         AND (CAST(:environmentId AS uuid) IS NULL OR EXISTS (SELECT FROM environments e WHERE e.id = :environmentId)) AS "isThere"`,
      { environmentId },
    );
  return (await db.withWorkspace(workspaceId, find, { readOnly: true }))?.isThere === true;
}
