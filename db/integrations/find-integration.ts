import type { Database, Tenant } from '../client.ts';

/** The environment that a request of a chat is for. Its path names the integration; nobody is signed in. */
export async function findIntegration(db: Database, id: string): Promise<Tenant | null> {
  const { rows } = await db.directory.raw<{ rows: Tenant[] }>(
    'SELECT environment_id AS "environmentId", workspace_id AS "workspaceId" FROM find_integration(?)',
    [id],
  );
  return rows[0] ?? null;
}
