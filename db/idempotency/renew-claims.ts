import type { EnvironmentTransaction } from '../client.ts';

/**
 * Extends the leases of claims whose holders are still at work. A claim that was taken over has another holder and is left alone.
 */
export async function renewClaims(tx: EnvironmentTransaction, holders: string[], leaseMs: number): Promise<void> {
  await tx.raw(
    `UPDATE idempotency_claims SET lease_expires_at = clock_timestamp() + :leaseMs * interval '1 millisecond'
     WHERE holder = ANY(CAST(:holders AS uuid[])) AND state = 'in_progress'`,
    { holders, leaseMs },
  );
}
