import type { EnvironmentTransaction } from '../client.ts';
import { UNLIMITED_SHARDS } from './consume-allowance.ts';

/**
 * Adds bytes that went over the wire to the egress of this UTC month, in the transaction that records the call: a record that
 * is made once is counted once. It refuses nothing, since the bytes are spent, so that the count is spread over several rows.
 * Call it last in the transaction: whoever holds one of these rows waits for nothing else, and no two can wait for each other.
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
