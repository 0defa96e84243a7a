import type { EnvironmentTransaction } from '../client.ts';
import { announceApproval } from './announce-approval.ts';

/** Uses an approval up for the one dispatch that it was given for. In the transaction that marks it; the database allows it once. */
export async function consumeApproval(tx: EnvironmentTransaction, approvalId: string): Promise<void> {
  const { rows } = await tx.raw<{ rows: { id: string }[] }>(
    `UPDATE approvals SET status = 'consumed', consumed_at = now() WHERE id = ? AND status = 'approved' RETURNING id`,
    [approvalId],
  );
  if (rows.length === 0) throw new Error(`approval ${approvalId} is not there to be consumed`);
  await announceApproval(tx, approvalId);
}
