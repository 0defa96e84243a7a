import type { EnvironmentTransaction } from '../client.ts';
import { announceApproval } from './announce-approval.ts';

export type ApprovalEnd =
  | { status: 'expired' | 'cancelled'; at: Date }
  /** This can also end an approved approval: what was agreed to is no longer what would be sent. */
  | { status: 'invalidated'; at: Date };

/** Ends an approval that nobody decided, or that is no longer valid. Returns false where it has ended already. */
export async function endApproval(
  tx: EnvironmentTransaction,
  approvalId: string,
  { status, at }: ApprovalEnd,
): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: { id: string }[] }>(
    `UPDATE approvals SET status = :status, decided_at = COALESCE(decided_at, :at)
     WHERE id = :approvalId AND status = ANY(:from) RETURNING id`,
    { approvalId, status, at, from: status === 'invalidated' ? ['pending', 'approved'] : ['pending'] },
  );
  if (rows.length > 0) announceApproval(tx, approvalId);
  return rows.length > 0;
}
