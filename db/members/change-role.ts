import type { Role } from '../../domain/roles.ts';
import type { WorkspaceTransaction } from '../client.ts';
import { revokeInvitationsBy } from './invitations.ts';

/**
 * Changes the role of a member that `lockMember` locked. It revokes their open invitations, which they offered with their former
 * role.
 */
export async function changeRole(tx: WorkspaceTransaction, userId: string, role: Role): Promise<void> {
  await revokeInvitationsBy(tx, userId);
  await tx.raw('UPDATE members SET role = ? WHERE user_id = ?', [role, userId]);
}
