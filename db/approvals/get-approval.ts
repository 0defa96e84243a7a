import type { EnvironmentTransaction } from '../client.ts';
import { APPROVAL_COLUMNS, APPROVAL_JOINS, approvalOf, type ApprovalRecord, type ApprovalRow } from './records.ts';

export async function getApproval(tx: EnvironmentTransaction, approvalId: string): Promise<ApprovalRecord | null> {
  const { rows } = await tx.raw<{ rows: ApprovalRow[] }>(
    `SELECT ${APPROVAL_COLUMNS} FROM approvals p ${APPROVAL_JOINS} WHERE p.id = ?`,
    [approvalId],
  );
  return rows[0] ? approvalOf(rows[0]) : null;
}
