import type { Role } from '../../domain/roles.ts';
import type { Database } from '../client.ts';

export interface WorkspaceOfUser {
  id: string;
  name: string;
  role: Role;
}

/** The workspaces that a user is a member of, by name. */
export async function listWorkspacesOfUser(db: Database, userId: string): Promise<WorkspaceOfUser[]> {
  const { rows } = await db.directory.raw<{ rows: WorkspaceOfUser[] }>(
    'SELECT id, name, role FROM list_workspaces_of_user(?)',
    [userId],
  );
  return rows;
}
