import type { EnvironmentTransaction } from '../client.ts';

/** In the transaction that approves it: the invocation and its effect are ready to be reserved. */
export async function releaseInvocation(tx: EnvironmentTransaction, invocationId: string): Promise<void> {
  await tx.raw(
    `WITH ready AS (
       UPDATE effects SET stage = 'ready', updated_at = now() WHERE invocation_id = :invocationId AND stage = 'awaiting_approval')
     UPDATE invocations SET status = 'queued', updated_at = now() WHERE id = :invocationId AND status = 'pending_approval'`,
    { invocationId },
  );
}
