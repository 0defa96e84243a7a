import type { Allowance } from '../../domain/plans.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * Returns what `consumeAllowance` took in another transaction, which began at `consumedAt`, to the month and the day of that
 * time. Call it once, in the transaction that withdraws the admission.
 */
export async function giveBackAllowance(
  tx: EnvironmentTransaction,
  allowance: Allowance,
  amount: number,
  consumedAt: Date,
): Promise<void> {
  // An admission takes the key's budget before the month. The end of an invocation moves the budget at the commit unless told so.
  await tx.raw('SET CONSTRAINTS settle_budget IMMEDIATE');
  await tx.raw(
    `WITH known AS (SELECT CAST(:consumedAt AS timestamptz) AT TIME ZONE 'UTC' AS at),
     of_month AS (
       INSERT INTO monthly_usage AS u (workspace_id, month, allowance, shard, used)
       SELECT current_workspace_id(), date_trunc('month', at)::date, :allowance, 0, -CAST(:amount AS bigint) FROM known
       ON CONFLICT (workspace_id, month, allowance, shard) DO UPDATE SET used = u.used + EXCLUDED.used
       RETURNING u.shard)
     INSERT INTO daily_usage AS d (environment_id, workspace_id, day, allowance, shard, used)
     SELECT current_environment_id(), current_workspace_id(), at::date, :allowance, shard, -CAST(:amount AS bigint) FROM known, of_month
     ON CONFLICT (environment_id, day, allowance, shard) DO UPDATE SET used = d.used + EXCLUDED.used`,
    { consumedAt, allowance, amount },
  );
}
