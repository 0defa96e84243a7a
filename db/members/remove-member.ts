import type { WorkspaceTransaction } from '../client.ts';
import { endSessionsOfUser } from '../auth/end-sessions-of-user.ts';
import { revokeInvitationsBy } from './invitations.ts';

/**
 * Removes a member that `lockMember` locked from the transaction's workspace. Revokes their invitations and ends their sessions.
 */
export async function removeMember(tx: WorkspaceTransaction, userId: string): Promise<void> {
  await tx.raw('DELETE FROM members WHERE user_id = ?', [userId]);
  await revokeInvitationsBy(tx, userId);
  await endSessionsOfUser(tx, userId);
}
