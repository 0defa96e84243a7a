import type { Role } from '../../domain/roles.ts';
import type { WorkspaceTransaction } from '../client.ts';

/** Adds a user to the transaction's workspace. Returns false where they are a member already; their role then stays. */
export async function addMember(tx: WorkspaceTransaction, userId: string, role: Role): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'INSERT INTO members (workspace_id, user_id, role) VALUES (current_workspace_id(), ?, ?) ON CONFLICT DO NOTHING',
    [userId, role],
  );
  return rowCount === 1;
}
