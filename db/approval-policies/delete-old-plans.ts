import type { EnvironmentTransaction } from '../client.ts';

/** An expired plan is reported as expired, and an applied plan answers its result, for this long. After that it is a 404. */
const KEPT_DAYS = 7;
const APPLIED_KEPT_DAYS = 90;
const DELETED_MAX = 50;
/** The number of unapplied plans kept. A plan can hold a megabyte, and a key that may only read policies can create plans. */
export const UNAPPLIED_PLANS_MAX = 50;

/** Deletes plans that are no longer usable, so that a repository that plans on every push does not fill the table. */
export async function deleteOldPlans(tx: EnvironmentTransaction): Promise<void> {
  await tx.raw(
    `DELETE FROM policy_plans WHERE id = ANY (ARRAY(
       SELECT id FROM policy_plans
       WHERE expires_at < now() - (CASE WHEN applied_at IS NULL THEN CAST(:kept AS integer) ELSE CAST(:appliedKept AS integer) END) * interval '1 day'
         OR id IN (SELECT id FROM policy_plans WHERE applied_at IS NULL ORDER BY expires_at DESC, id DESC OFFSET :unapplied)
       ORDER BY expires_at LIMIT :most FOR UPDATE SKIP LOCKED))`,
    { kept: KEPT_DAYS, appliedKept: APPLIED_KEPT_DAYS, most: DELETED_MAX, unapplied: UNAPPLIED_PLANS_MAX },
  );
}
