import type { Database, Tenant } from '../client.ts';

/** Every environment of the installation, for the operator's commands. Each is then processed inside `withEnvironment`. */
export async function listEveryEnvironment(db: Database): Promise<Tenant[]> {
  return db.directory.rows<Tenant>(
    'list_every_environment',
    'SELECT environment_id AS "environmentId", workspace_id AS "workspaceId" FROM list_environment_ids()',
  );
}
