import type { UserTransaction } from '../client.ts';

export interface EnvironmentOfUser {
  workspaceId: string;
  workspaceName: string;
  id: string;
  name: string;
  kind: string;
}

/** The environments of the user's workspaces, by name. */
export async function listEnvironmentsOfUser(tx: UserTransaction, userId: string): Promise<EnvironmentOfUser[]> {
  const { rows } = await tx.raw<{ rows: EnvironmentOfUser[] }>(
    `SELECT workspace_id AS "workspaceId", workspace_name AS "workspaceName", id, name, kind FROM list_environments_of_user(?)`,
    [userId],
  );
  return rows;
}
