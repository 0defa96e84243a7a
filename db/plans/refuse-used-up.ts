import { type Allowance, PLAN_TABLE, PLANS } from '../../domain/plans.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { quotaExceeded, type UsedUp } from './quota-exceeded.ts';

/**
 * Refuses new work once the workspace has used up this allowance of the UTC month: for work that takes from it later, by an amount
 * that is unknown beforehand. Nothing is taken or locked here, and work that was admitted before continues.
 * @throws {ServiceError} QUOTA_EXCEEDED, never on a plan without a limit.
 */
export async function refuseUsedUp(tx: EnvironmentTransaction, allowance: Allowance): Promise<void> {
  const limits = Object.fromEntries(PLANS.map((plan) => [plan, PLAN_TABLE[plan].allowances[allowance]]));
  const { rows } = await tx.raw<{ rows: UsedUp[] }>(
    `WITH known AS (
       SELECT plan, (CAST(:limits AS jsonb) ->> plan)::bigint AS allowed FROM workspaces WHERE id = current_workspace_id())
     SELECT plan, allowed, now() AS now FROM known
     WHERE allowed IS NOT NULL AND allowed <= (
       SELECT COALESCE(sum(used), 0) FROM monthly_usage
       WHERE workspace_id = current_workspace_id() AND month = date_trunc('month', now() AT TIME ZONE 'UTC')::date
         AND allowance = :allowance)`,
    { limits: JSON.stringify(limits), allowance },
  );
  if (rows[0] !== undefined) throw quotaExceeded(rows[0], allowance);
}
