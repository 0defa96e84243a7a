import type { Role } from '../../domain/roles.ts';
import type { UserTransaction } from '../client.ts';

export interface WorkspaceOfUser {
  id: string;
  name: string;
  role: Role;
}

/** The workspaces of a user, ordered by name. */
export async function listWorkspacesOfUser(tx: UserTransaction, userId: string): Promise<WorkspaceOfUser[]> {
  const { rows } = await tx.raw<{ rows: WorkspaceOfUser[] }>('SELECT id, name, role FROM list_workspaces_of_user(?)', [
    userId,
  ]);
  return rows;
}
