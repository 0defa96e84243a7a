import type { EnvironmentTransaction } from '../client.ts';
import { UNLIMITED_SHARDS } from './consume-allowance.ts';

/**
 * Adds bytes to the egress of this UTC month and day, in the transaction that records the call, so that each call is counted once. It
 * refuses nothing, because the bytes are spent already; the count is therefore spread over several rows. Call it behind every other
 * statement but `followDelivery`: the holder of one of these rows then waits at most for a subscription and the end of the audit log's
 * chain, whose holders wait for none of these rows, and no two transactions can deadlock on them.
 */
export async function countEgress(tx: EnvironmentTransaction, bytes: number): Promise<void> {
  if (bytes === 0) return;
  await tx.raw(
    `WITH of_month AS (
       INSERT INTO monthly_usage AS u (workspace_id, month, allowance, shard, used)
       VALUES (current_workspace_id(), date_trunc('month', now() AT TIME ZONE 'UTC')::date, 'egress',
         floor(random() * :shards), CAST(:bytes AS bigint))
       ON CONFLICT (workspace_id, month, allowance, shard) DO UPDATE SET used = u.used + EXCLUDED.used
       RETURNING u.shard)
     INSERT INTO daily_usage AS d (environment_id, workspace_id, day, allowance, shard, used)
     SELECT current_environment_id(), current_workspace_id(), (now() AT TIME ZONE 'UTC')::date, 'egress', shard, CAST(:bytes AS bigint)
     FROM of_month
     ON CONFLICT (environment_id, day, allowance, shard) DO UPDATE SET used = d.used + EXCLUDED.used`,
    { bytes, shards: UNLIMITED_SHARDS },
  );
}
