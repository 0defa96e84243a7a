import { IDEMPOTENCY_RETENTION_HOURS } from '../idempotency/claim-key.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * True where an invocation was admitted under a budget so long ago that the reply of its Idempotency-Key has expired. The caller
 * then gets BUDGET_EFFECT_ALREADY_RESERVED (docs/budgets.md).
 */
export async function hasOldReservation(tx: EnvironmentTransaction, invocationId: string): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `SELECT 1 FROM budget_reservations WHERE invocation_id = ? AND created_at < now() - CAST(? AS interval)`,
    [invocationId, `${IDEMPOTENCY_RETENTION_HOURS} hours`],
  );
  return rows.length > 0;
}
