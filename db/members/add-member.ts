import type { Role } from '../../domain/roles.ts';
import type { WorkspaceTransaction } from '../client.ts';

/** Makes a user a member of the transaction's workspace. False where they are one already; their role then stays. */
export async function addMember(tx: WorkspaceTransaction, userId: string, role: Role): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'INSERT INTO members (workspace_id, user_id, role) VALUES (current_workspace_id(), ?, ?) ON CONFLICT DO NOTHING',
    [userId, role],
  );
  return rowCount === 1;
}
