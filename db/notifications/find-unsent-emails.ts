import type { EmailRef } from '../../domain/notifications/emails.ts';
import type { Database } from '../client.ts';

/** E-mails of all environments whose attempt is overdue: no workflow may be sending them. */
export async function findUnsentEmails(
  db: Database,
  page: { overdueBySeconds: number; afterId: string; limit: number },
): Promise<EmailRef[]> {
  const { rows } = await db.directory.raw<{ rows: { id: string; workspace_id: string; environment_id: string }[] }>(
    'SELECT id, workspace_id, environment_id FROM find_unsent_emails(make_interval(secs => ?), ?, ?)',
    [page.overdueBySeconds, page.afterId, page.limit],
  );
  return rows.map((row) => ({ emailId: row.id, workspaceId: row.workspace_id, environmentId: row.environment_id }));
}
