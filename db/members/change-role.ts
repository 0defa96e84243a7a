import type { Role } from '../../domain/roles.ts';
import type { WorkspaceTransaction } from '../client.ts';
import { revokeInvitationsBy } from './invitations.ts';

/**
 * Changes the role of a member that `lockMember` locked, and revokes their open invitations, which they offered with their former role.
 * The change comes first: its trigger waits for the transactions that act with the former role, and only a statement after it sees the
 * invitation that one of them made.
 */
export async function changeRole(tx: WorkspaceTransaction, userId: string, role: Role): Promise<void> {
  await tx.raw('UPDATE members SET role = ? WHERE user_id = ?', [role, userId]);
  await revokeInvitationsBy(tx, userId);
}
