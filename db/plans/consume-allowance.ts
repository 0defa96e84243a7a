import { type Allowance, PLAN_TABLE, PLANS } from '../../domain/plans.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { quotaExceeded, type UsedUp } from './quota-exceeded.ts';

/** The number of rows over which an unlimited count is spread; enough for the connections of a few processes. */
export const UNLIMITED_SHARDS = 16;

interface Row extends UsedUp {
  consumed: boolean;
}

/**
 * Takes `amount` (a whole number, at least 1) from the workspace's allowance of this UTC month, in the transaction that admits
 * the work, and adds it to the day of its environment. A rollback of the admission takes it back too. Call it late in the transaction: the row of a limited allowance stays
 * locked until the commit. It counts on every plan, so that a workspace that changes its plan keeps its count. The month is that
 * of the transaction's start, to the millisecond that records keep as their `createdAt`.
 * @throws {ServiceError} QUOTA_EXCEEDED, with nothing taken (docs/plans-and-limits.md).
 */
export async function consumeAllowance(
  tx: EnvironmentTransaction,
  allowance: Allowance,
  amount: number,
): Promise<void> {
  const limits = Object.fromEntries(PLANS.map((plan) => [plan, PLAN_TABLE[plan].allowances[allowance]]));
  const { rows } = await tx.raw<{ rows: Row[] }>(
    `WITH known AS (
       SELECT plan, (CAST(:limits AS jsonb) ->> plan)::bigint AS allowed, date_trunc('month', now()::timestamptz(3) AT TIME ZONE 'UTC')::date AS month,
         (now()::timestamptz(3) AT TIME ZONE 'UTC')::date AS day
       FROM workspaces WHERE id = current_workspace_id()
     ), elsewhere AS (
       SELECT COALESCE(sum(u.used), 0) AS used FROM monthly_usage u, known k
       WHERE u.workspace_id = current_workspace_id() AND u.month = k.month AND u.allowance = :allowance AND u.shard <> 0
     ), consumed AS (
       INSERT INTO monthly_usage AS u (workspace_id, month, allowance, shard, used)
       SELECT current_workspace_id(), month, :allowance,
         CASE WHEN allowed IS NULL THEN floor(random() * :shards) ELSE 0 END, CAST(:amount AS bigint)
       FROM known, elsewhere WHERE allowed IS NULL OR elsewhere.used + :amount <= allowed
       ON CONFLICT (workspace_id, month, allowance, shard) DO UPDATE SET used = u.used + EXCLUDED.used
       WHERE (SELECT allowed IS NULL OR u.used + EXCLUDED.used + elsewhere.used <= allowed FROM known, elsewhere)
       RETURNING u.shard
     ), of_day AS (
       INSERT INTO daily_usage AS d (environment_id, workspace_id, day, allowance, shard, used)
       SELECT current_environment_id(), current_workspace_id(), day, :allowance, shard, CAST(:amount AS bigint) FROM known, consumed
       ON CONFLICT (environment_id, day, allowance, shard) DO UPDATE SET used = d.used + EXCLUDED.used)
     SELECT plan, allowed, EXISTS (SELECT FROM consumed) AS consumed, now() AS now FROM known`,
    { limits: JSON.stringify(limits), allowance, amount, shards: UNLIMITED_SHARDS },
  );
  const row = rows[0];
  if (row === undefined) throw new Error('an allowance is consumed in the transaction of a workspace that exists');
  if (!row.consumed) {
    throw quotaExceeded(row, allowance, amount === 1 ? undefined : `fewer than the ${amount} asked for are left`);
  }
}
