import { newId } from '../../domain/ids.ts';
import type { Role } from '../../domain/roles.ts';
import { generateToken, hashToken } from '../auth/sessions.ts';
import type { Database, WorkspaceTransaction } from '../client.ts';

export const INVITATION_DAYS = 7;

export interface InvitationRecord {
  id: string;
  email: string;
  role: Role;
  createdAt: Date;
  expiresAt: Date;
}

/**
 * Invites an e-mail address into the transaction's workspace. The token is returned this once. `replaced` are the invitations that were open
 * and are revoked by it.
 */
export async function createInvitation(
  tx: WorkspaceTransaction,
  input: { email: string; role: Role; invitedBy: string },
): Promise<{ record: InvitationRecord; token: string; replaced: { id: string; role: Role }[] }> {
  const token = generateToken();
  // Invitations of one address are serialized, so that the later of two replaces the earlier.
  await tx.raw(
    'create_invitation',
    "SELECT pg_advisory_xact_lock(hashtextextended('invitations/' || current_workspace_id() || '/' || lower(?), 0))",
    [input.email],
  );
  const ended = await tx.rows<{ id: string; role: Role; isOpen: boolean }>(
    'create_invitation_2',
    `UPDATE invitations SET revoked_at = now() WHERE lower(email) = lower(?) AND accepted_at IS NULL AND revoked_at IS NULL
     RETURNING id, role, expires_at > now() AS "isOpen"`,
    [input.email],
  );
  const record = await tx.row<InvitationRecord>(
    'create_invitation_3',
    `INSERT INTO invitations (id, workspace_id, email, role, token_hash, invited_by, expires_at)
     VALUES (?, current_workspace_id(), ?, ?, ?, ?, now() + ? * interval '1 day')
     RETURNING id, email, role, created_at AS "createdAt", expires_at AS "expiresAt"`,
    [newId('invitation'), input.email, input.role, hashToken(token), input.invitedBy, INVITATION_DAYS],
  );
  if (record === null) throw new Error('the new invitation was not stored');
  return { record, token, replaced: ended.filter(({ isOpen }) => isOpen).map(({ id, role }) => ({ id, role })) };
}

/** Whether a member of the transaction's workspace has the e-mail address. */
export async function isMemberByEmail(tx: WorkspaceTransaction, email: string): Promise<boolean> {
  const rows = await tx.rows<unknown>(
    'is_member_by_email',
    'SELECT 1 FROM members m JOIN users u ON u.id = m.user_id WHERE lower(u.email) = lower(?)',
    [email],
  );
  return rows.length > 0;
}

export interface OpenInvitation {
  id: string;
  workspaceId: string;
  email: string;
  role: Role;
}

/** Finds an open invitation by its token: not accepted, not revoked, not expired. */
export async function findInvitation(db: Database, token: string): Promise<OpenInvitation | null> {
  return db.directory.row<OpenInvitation>(
    'find_invitation',
    'SELECT id, workspace_id AS "workspaceId", email, role FROM find_invitation(?)',
    [hashToken(token)],
  );
}

/** Accepts an invitation, once. Returns false where it was accepted, revoked or expired meanwhile. */
export async function consumeInvitation(tx: WorkspaceTransaction, invitationId: string): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'consume_invitation',
    'UPDATE invitations SET accepted_at = now() WHERE id = ? AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > now()',
    [invitationId],
  );
  return rowCount === 1;
}

/** Revokes a member's open invitations. They know the tokens and must not come back with one. */
export async function revokeInvitationsBy(tx: WorkspaceTransaction, invitedBy: string): Promise<void> {
  await tx.raw(
    'revoke_invitations_by',
    'UPDATE invitations SET revoked_at = now() WHERE invited_by = ? AND accepted_at IS NULL AND revoked_at IS NULL',
    [invitedBy],
  );
}
