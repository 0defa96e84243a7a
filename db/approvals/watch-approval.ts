import type { ApprovalWatch } from '../../domain/approvals/approval.ts';
import type { EnvironmentTransaction } from '../client.ts';

type Row = Omit<ApprovalWatch, 'createdAt' | 'expiresAt'> & { createdAt: Date; expiresAt: Date };

/** Records that a workflow has seen how the approval stands, so that nobody has to wake it (0043-workflow-starts). */
export async function recordAwaitedStatus(tx: EnvironmentTransaction, approvalId: string): Promise<void> {
  await tx.raw('UPDATE approvals SET awaited_status = status WHERE id = ? AND awaited_status IS DISTINCT FROM status', [
    approvalId,
  ]);
}

/**
 * Reads what the approval's workflow needs, and records that the workflow has seen this status. The sweep wakes workflows that
 * have not seen the current one.
 */
export async function watchApproval(tx: EnvironmentTransaction, approvalId: string): Promise<ApprovalWatch> {
  await recordAwaitedStatus(tx, approvalId);
  const { rows } = await tx.raw<{ rows: Row[] }>(
    `SELECT p.awaited_status AS status, p.created_at AS "createdAt", p.expires_at AS "expiresAt", p.reminders_sent AS "remindersSent",
       p.quorum, (SELECT CAST(count(*) AS int) FROM approval_decisions d WHERE d.approval_id = p.id) AS decisions,
       ARRAY(SELECT i.id FROM integrations i WHERE i.environment_id = p.environment_id AND i.is_active AND i.channel_id IS NOT NULL
         AND p.status = 'pending' AND NOT EXISTS (SELECT FROM chat_posts c WHERE c.approval_id = p.id AND c.integration_id = i.id)) AS unposted
     FROM approvals p WHERE p.id = ?`,
    [approvalId],
  );
  const row = rows[0];
  if (!row) throw new Error(`approval ${approvalId} is gone`);
  return { ...row, createdAt: row.createdAt.toISOString(), expiresAt: row.expiresAt.toISOString() };
}
