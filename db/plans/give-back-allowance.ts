import type { Allowance } from '../../domain/plans.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';

/**
 * Returns what `consumeAllowance` took in another transaction, which began at `consumedAt`, to the month of that time. Call it
 * once, in the transaction that withdraws the admission.
 */
export async function giveBackAllowance(
  tx: EnvironmentTransaction | WorkspaceTransaction,
  allowance: Allowance,
  amount: number,
  consumedAt: Date,
): Promise<void> {
  // An admission takes the key's budget before the month. The end of an invocation moves the budget at the commit unless told so.
  await tx.raw('SET CONSTRAINTS settle_budget IMMEDIATE');
  await tx.raw(
    `INSERT INTO monthly_usage AS u (workspace_id, month, allowance, shard, used)
     VALUES (current_workspace_id(), date_trunc('month', CAST(:consumedAt AS timestamptz) AT TIME ZONE 'UTC')::date, :allowance, 0, -CAST(:amount AS bigint))
     ON CONFLICT (workspace_id, month, allowance, shard) DO UPDATE SET used = u.used + EXCLUDED.used`,
    { consumedAt, allowance, amount },
  );
}
