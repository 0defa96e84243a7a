import type { EnvironmentTransaction } from '../client.ts';

/** True while the one dispatch of an invocation is neither claimed nor abandoned. Takes no lock. */
export async function isDispatchUnclaimed(tx: EnvironmentTransaction, invocationId: string): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `SELECT 1 FROM attempts WHERE invocation_id = ? AND kind = 'dispatch' AND status = 'started' AND claimed_at IS NULL`,
    [invocationId],
  );
  return rows.length > 0;
}
