import type { EnvironmentTransaction } from '../client.ts';

/** Locks the chain of a memory whose time is over, for its deletion. False: its time was extended meanwhile, or it is gone. */
export async function lockExpired(tx: EnvironmentTransaction, id: string): Promise<boolean> {
  // Where the lock was waited for, PostgreSQL looks at the time again.
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `SELECT 1 FROM memories r WHERE r.id = (SELECT m.chain_id FROM memories m WHERE m.id = ?) AND r.expires_at <= now() FOR UPDATE`,
    [id],
  );
  return rows.length > 0;
}
