import type { EnvironmentTransaction } from '../client.ts';
import { announceSettlement } from './announce-settlement.ts';

/** Marks the invocation as waiting for its approval; the request that waits for its reply is answered. */
export async function parkInvocation(
  tx: EnvironmentTransaction,
  invocationId: string,
  approvalId: string,
): Promise<void> {
  await tx.raw(
    `UPDATE invocations SET status = 'pending_approval', approval_id = :approvalId, evaluated_at = COALESCE(evaluated_at, now()),
       updated_at = now()
     WHERE id = :invocationId`,
    { invocationId, approvalId },
  );
  announceSettlement(tx, invocationId);
}
