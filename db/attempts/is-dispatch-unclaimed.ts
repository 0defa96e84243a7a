import type { EnvironmentTransaction } from '../client.ts';

/** Whether the one dispatch of an invocation is yet to be claimed: neither claimed nor given up. It locks nothing. */
export async function isDispatchUnclaimed(tx: EnvironmentTransaction, invocationId: string): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `SELECT 1 FROM attempts WHERE invocation_id = ? AND kind = 'dispatch' AND status = 'started' AND claimed_at IS NULL`,
    [invocationId],
  );
  return rows.length > 0;
}
