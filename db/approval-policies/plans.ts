import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { AppliedPlan, PlannedChange, PlanRecord, PolicyAuthor } from './records.ts';

export interface NewPlan {
  baseRevision: number;
  digest: string;
  changes: PlannedChange[];
  createdBy: PolicyAuthor;
  lifetimeSeconds: number;
}

/** Stores a plan for `applyPlan`. The database's clock sets the expiry, because it also decides whether a plan has expired. */
export async function createPlan(tx: EnvironmentTransaction, plan: NewPlan): Promise<{ id: string; expiresAt: Date }> {
  const id = newId('policyPlan');
  const row = await tx.row<{ expiresAt: Date }>(
    'create_plan',
    `INSERT INTO policy_plans (id, environment_id, base_revision, digest, changes, created_by, expires_at)
     VALUES (:id, current_environment_id(), :baseRevision, :digest, :changes, :createdBy, now() + :lifetimeSeconds * interval '1 second')
     RETURNING expires_at AS "expiresAt"`,
    { ...plan, id, changes: JSON.stringify(plan.changes), createdBy: JSON.stringify(plan.createdBy) },
  );
  if (row === null) throw new Error('a plan was inserted and came back as no row');
  return { id, expiresAt: row.expiresAt };
}

/** A plan of the transaction's environment. The row lock keeps others from applying it, or deleting it for its age, meanwhile. */
export async function getPlan(tx: EnvironmentTransaction, id: string): Promise<PlanRecord | null> {
  const row = await tx.row<Omit<PlanRecord, 'baseRevision'> & { baseRevision: string }>(
    'get_plan',
    `SELECT id, base_revision AS "baseRevision", digest, changes, expires_at AS "expiresAt",
       expires_at <= now() AS "isExpired", result FROM policy_plans WHERE id = ? FOR UPDATE`,
    [id],
  );
  return row === null ? null : { ...row, baseRevision: Number(row.baseRevision) };
}

/** Stores the result of applying a plan, in the transaction that applied it. The database accepts it once. */
export async function markPlanApplied(tx: EnvironmentTransaction, result: AppliedPlan): Promise<void> {
  await tx.raw('mark_plan_applied', 'UPDATE policy_plans SET applied_at = ?, result = ? WHERE id = ?', [
    result.appliedAt,
    JSON.stringify(result),
    result.planId,
  ]);
}

/** An expired plan is reported as expired, and an applied plan answers its result, for this long. After that it is a 404. */
const KEPT_DAYS = 7;
const APPLIED_KEPT_DAYS = 90;
const DELETED_MAX = 50;
/** The number of unapplied plans kept. A plan can hold a megabyte, and a key that may only read policies can create plans. */
export const UNAPPLIED_PLANS_MAX = 50;

/** Deletes plans that are no longer usable, so that a repository that plans on every push does not fill the table. */
export async function deleteOldPlans(tx: EnvironmentTransaction): Promise<void> {
  await tx.raw(
    'delete_old_plans',
    `DELETE FROM policy_plans WHERE id = ANY (ARRAY(
       SELECT id FROM policy_plans
       WHERE expires_at < now() - (CASE WHEN applied_at IS NULL THEN CAST(:kept AS integer) ELSE CAST(:appliedKept AS integer) END) * interval '1 day'
         OR id IN (SELECT id FROM policy_plans WHERE applied_at IS NULL ORDER BY expires_at DESC, id DESC OFFSET :unapplied)
       ORDER BY expires_at LIMIT :most FOR UPDATE SKIP LOCKED))`,
    { kept: KEPT_DAYS, appliedKept: APPLIED_KEPT_DAYS, most: DELETED_MAX, unapplied: UNAPPLIED_PLANS_MAX },
  );
}
