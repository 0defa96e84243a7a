import type { Role } from '../../domain/roles.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import type { Database, EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';
import { changePassword, createUser, findUserByEmail, newUserId } from '../users/users.ts';
import { endSessionsOfUser } from '../auth/sessions.ts';
import { revokeInvitationsBy } from './invitations.ts';

export interface MemberRecord {
  userId: string;
  email: string;
  name: string;
  role: Role;
  joinedAt: Date;
}

/** Selected from `members m JOIN users u`. */
const MEMBER_COLUMNS = 'm.user_id AS "userId", u.email, u.name, m.role, m.created_at AS "joinedAt"';

/** The members of the transaction's workspace, the newest first. */
export async function listMembers(tx: WorkspaceTransaction, range: Range): Promise<Page<MemberRecord>> {
  return pageOf(tx, {
    name: 'list_members',
    columns: MEMBER_COLUMNS,
    from: 'members m',
    joins: 'JOIN users u ON u.id = m.user_id',
    order: 'm.created_at DESC, m.user_id DESC',
    asked: range,
  });
}

/** More admins than these are not sent e-mails: a workspace has a handful. */
const ADMIN_EMAILS_MAX = 20;

/** The e-mail addresses of the workspace's owners and admins, owners first, at most twenty. */
export async function listAdminEmails(tx: EnvironmentTransaction): Promise<string[]> {
  const rows = await tx.rows<{ email: string }>(
    'list_admin_emails',
    `SELECT u.email FROM members m JOIN users u ON u.id = m.user_id
     WHERE m.workspace_id = current_workspace_id() AND m.role IN ('owner', 'admin')
     ORDER BY m.role = 'owner' DESC, m.created_at, m.user_id LIMIT ?`,
    [ADMIN_EMAILS_MAX],
  );
  return rows.map(({ email }) => email);
}

export interface LockedMember {
  member: MemberRecord;
  /** True where the workspace has no other owner. */
  isLastOwner: boolean;
}

/** Locks a member of the transaction's workspace together with its owners, in id order, until the commit. */
export async function lockMember(tx: WorkspaceTransaction, userId: string): Promise<LockedMember | null> {
  const rows = await tx.rows<MemberRecord>(
    'lock_member',
    `SELECT ${MEMBER_COLUMNS} FROM members m JOIN users u ON u.id = m.user_id
     WHERE m.user_id = ? OR m.role = 'owner' ORDER BY m.user_id FOR UPDATE OF m`,
    [userId],
  );
  const member = rows.find((row) => row.userId === userId);
  if (member === undefined) return null;
  const otherOwners = rows.filter((row) => row.role === 'owner' && row.userId !== userId);
  return { member, isLastOwner: member.role === 'owner' && otherOwners.length === 0 };
}

/** Adds a user to the transaction's workspace. Returns false where they are a member already; their role then stays. */
export async function addMember(tx: WorkspaceTransaction, userId: string, role: Role): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'add_member',
    'INSERT INTO members (workspace_id, user_id, role) VALUES (current_workspace_id(), ?, ?) ON CONFLICT DO NOTHING',
    [userId, role],
  );
  return rowCount === 1;
}

/**
 * For the operator: creates a user with this password as a member of the workspace. An existing user with the e-mail address gets
 * the password and is signed out everywhere.
 */
export async function createMember(
  db: Database,
  input: { workspaceId: string; email: string; name: string; passwordHash: string; role: Role },
): Promise<{ userId: string }> {
  const { workspaceId, role, passwordHash } = input;
  const known = await findUserByEmail(db, input.email);
  const userId = known?.id ?? newUserId();
  await db.withMember({ userId, workspaceId }, async (tx) => {
    if (known !== null) await changePassword(tx, userId, passwordHash);
    else if (!(await createUser(tx, input))) throw new Error(`the e-mail address ${input.email} was taken just now`);
    await addMember(tx, userId, role);
  });
  return { userId };
}

/**
 * Changes the role of a member that `lockMember` locked, and revokes their open invitations, which they offered with their former role.
 * The change comes first: its trigger waits for the transactions that act with the former role, and only a statement after it sees the
 * invitation that one of them made.
 */
export async function changeRole(tx: WorkspaceTransaction, userId: string, role: Role): Promise<void> {
  await tx.raw('change_role', 'UPDATE members SET role = ? WHERE user_id = ?', [role, userId]);
  await revokeInvitationsBy(tx, userId);
}

/**
 * Removes a member that `lockMember` locked from the transaction's workspace. Revokes their invitations and ends their sessions.
 */
export async function removeMember(tx: WorkspaceTransaction, userId: string): Promise<void> {
  await tx.raw('remove_member', 'DELETE FROM members WHERE user_id = ?', [userId]);
  await revokeInvitationsBy(tx, userId);
  await endSessionsOfUser(tx, userId);
}
