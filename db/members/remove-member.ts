import type { WorkspaceTransaction } from '../client.ts';
import { endSessionsOfUser } from '../auth/end-sessions-of-user.ts';
import { revokeInvitationsBy } from './invitations.ts';

/** Takes a member that `lockMember` locked out of the transaction's workspace, with their invitations, and ends their sessions. */
export async function removeMember(tx: WorkspaceTransaction, userId: string): Promise<void> {
  await tx.raw('DELETE FROM members WHERE user_id = ?', [userId]);
  await revokeInvitationsBy(tx, userId);
  await endSessionsOfUser(tx, userId);
}
