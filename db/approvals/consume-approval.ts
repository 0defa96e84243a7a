import type { EnvironmentTransaction } from '../client.ts';
import { announceApproval } from './announce-approval.ts';

/** Consumes an approval for one dispatch, in the transaction that writes the fence. The database allows it once. */
export async function consumeApproval(tx: EnvironmentTransaction, approvalId: string): Promise<void> {
  const { rows } = await tx.raw<{ rows: { id: string }[] }>(
    `UPDATE approvals SET status = 'consumed', consumed_at = now() WHERE id = ? AND status = 'approved' RETURNING id`,
    [approvalId],
  );
  if (rows.length === 0) throw new Error(`approval ${approvalId} is not there to be consumed`);
  announceApproval(tx, approvalId);
}
