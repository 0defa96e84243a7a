import type { EnvironmentTransaction } from '../client.ts';
import { UNLIMITED_SHARDS } from './consume-allowance.ts';

/**
 * Adds bytes to the egress of this UTC month, in the transaction that records the call, so that each call is counted once. It
 * refuses nothing, because the bytes are spent already; the count is therefore spread over several rows. Call it behind every other
 * statement but `followDelivery`: the holder of one of these rows then waits at most for a subscription and the end of the audit log's
 * chain, whose holders wait for none of these rows, and no two transactions can deadlock on them.
 */
export async function countEgress(tx: EnvironmentTransaction, bytes: number): Promise<void> {
  if (bytes === 0) return;
  await tx.raw(
    `INSERT INTO monthly_usage AS u (workspace_id, month, allowance, shard, used)
     VALUES (current_workspace_id(), date_trunc('month', now() AT TIME ZONE 'UTC')::date, 'egress',
       floor(random() * :shards), CAST(:bytes AS bigint))
     ON CONFLICT (workspace_id, month, allowance, shard) DO UPDATE SET used = u.used + EXCLUDED.used`,
    { bytes, shards: UNLIMITED_SHARDS },
  );
}
