import type { EnvironmentTransaction } from '../client.ts';

/** Makes a parked invocation and its effect ready for the reservation, in the transaction that approves it. */
export async function releaseInvocation(tx: EnvironmentTransaction, invocationId: string): Promise<void> {
  await tx.raw(
    `WITH ready AS (
       UPDATE effects SET stage = 'ready', updated_at = now() WHERE invocation_id = :invocationId AND stage = 'awaiting_approval')
     UPDATE invocations SET status = 'queued', updated_at = now() WHERE id = :invocationId AND status = 'pending_approval'`,
    { invocationId },
  );
}
