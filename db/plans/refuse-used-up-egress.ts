import { PLAN_TABLE, PLANS } from '../../domain/plans.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { quotaExceeded, type UsedUp } from './quota-exceeded.ts';

/**
 * Refuses new work that would send something once the workspace has used up its egress of this UTC month. The bytes that the work
 * will need are unknown beforehand: nothing is taken or locked here, and work that was admitted before continues.
 * @throws {ServiceError} QUOTA_EXCEEDED, never on a plan without a limit.
 */
export async function refuseUsedUpEgress(tx: EnvironmentTransaction): Promise<void> {
  const limits = Object.fromEntries(PLANS.map((plan) => [plan, PLAN_TABLE[plan].allowances.egress]));
  const { rows } = await tx.raw<{ rows: UsedUp[] }>(
    `WITH known AS (
       SELECT plan, (CAST(:limits AS jsonb) ->> plan)::bigint AS allowed FROM workspaces WHERE id = current_workspace_id())
     SELECT plan, allowed, now() AS now FROM known
     WHERE allowed IS NOT NULL AND allowed <= (
       SELECT COALESCE(sum(used), 0) FROM monthly_usage
       WHERE workspace_id = current_workspace_id() AND month = date_trunc('month', now() AT TIME ZONE 'UTC')::date
         AND allowance = 'egress')`,
    { limits: JSON.stringify(limits) },
  );
  if (rows[0] !== undefined) throw quotaExceeded(rows[0], 'egress');
}
