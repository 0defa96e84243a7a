import type { EnvironmentTransaction } from '../client.ts';

/** More admins than these are not sent e-mails: a workspace has a handful. */
const ADMIN_EMAILS_MAX = 20;

/** The e-mail addresses of the workspace's owners and admins, owners first, at most twenty. */
export async function listAdminEmails(tx: EnvironmentTransaction): Promise<string[]> {
  const { rows } = await tx.raw<{ rows: { email: string }[] }>(
    `SELECT u.email FROM members m JOIN users u ON u.id = m.user_id
     WHERE m.workspace_id = current_workspace_id() AND m.role IN ('owner', 'admin')
     ORDER BY m.role = 'owner' DESC, m.created_at, m.user_id LIMIT ?`,
    [ADMIN_EMAILS_MAX],
  );
  return rows.map(({ email }) => email);
}
