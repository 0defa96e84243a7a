import { IDEMPOTENCY_RETENTION_HOURS } from '../idempotency/claim-key.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * Whether an invocation was admitted under a budget so long ago that the reply of its Idempotency-Key is gone.
 * Source: service.md "Errors", BUDGET_EFFECT_ALREADY_RESERVED.
 */
export async function hasOldReservation(tx: EnvironmentTransaction, invocationId: string): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `SELECT 1 FROM budget_reservations WHERE invocation_id = ? AND created_at < now() - CAST(? AS interval)`,
    [invocationId, `${IDEMPOTENCY_RETENTION_HOURS} hours`],
  );
  return rows.length > 0;
}
