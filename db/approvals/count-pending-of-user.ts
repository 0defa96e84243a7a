import type { UserTransaction } from '../client.ts';

export interface EnvironmentWithPending {
  workspaceName: string;
  environmentId: string;
  environmentName: string;
  kind: string;
  pending: number;
}

/** The environments of the user's workspaces in which approvals are pending, by name, with how many. */
export async function countPendingOfUser(tx: UserTransaction): Promise<EnvironmentWithPending[]> {
  const { rows } = await tx.raw<{ rows: EnvironmentWithPending[] }>(
    `SELECT workspace_name AS "workspaceName", environment_id AS "environmentId", environment_name AS "environmentName", kind, pending
     FROM count_pending_approvals_of_user()`,
    [],
  );
  return rows;
}
