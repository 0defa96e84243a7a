import type { Role } from '../../domain/roles.ts';
import type { WorkspaceTransaction } from '../client.ts';
import { revokeInvitationsBy } from './invitations.ts';

/** Gives a member that `lockMember` locked another role. What they invited to falls with it, since it was offered with the role they had. */
export async function changeRole(tx: WorkspaceTransaction, userId: string, role: Role): Promise<void> {
  await revokeInvitationsBy(tx, userId);
  await tx.raw('UPDATE members SET role = ? WHERE user_id = ?', [role, userId]);
}
