import type { EnvironmentTransaction } from '../client.ts';

/** Whether a replay is yet to be claimed: neither claimed nor given up. It locks nothing. */
export async function isReplayUnclaimed(tx: EnvironmentTransaction, attemptId: string): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `SELECT 1 FROM attempts WHERE id = ? AND kind = 'replay' AND status = 'started' AND claimed_at IS NULL`,
    [attemptId],
  );
  return rows.length > 0;
}
