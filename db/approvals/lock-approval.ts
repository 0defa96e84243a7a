import type { EnvironmentTransaction } from '../client.ts';
import { getApproval } from './get-approval.ts';
import type { ApprovalRecord } from './records.ts';

/**
 * Locks an approval until the transaction ends. Its invocation is locked first; this order holds everywhere. The read is a
 * statement of its own, so that it sees what was committed while the locks were waited for.
 */
export async function lockApproval(tx: EnvironmentTransaction, approvalId: string): Promise<ApprovalRecord | null> {
  await tx.raw(
    'SELECT i.id FROM invocations i WHERE i.id = (SELECT invocation_id FROM approvals WHERE id = ?) FOR UPDATE OF i',
    [approvalId],
  );
  await tx.raw('SELECT id FROM approvals WHERE id = ? FOR UPDATE', [approvalId]);
  return getApproval(tx, approvalId);
}
