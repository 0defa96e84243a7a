import { ServiceError } from '../../domain/errors.ts';
import { PLAN_TABLE, type PlanName, PLANS } from '../../domain/plans.ts';
import type { EnvironmentTransaction } from '../client.ts';

interface Row {
  plan: PlanName;
  allowed: string | null;
  /** Null without a limit. */
  used: string | null;
}

/**
 * Whether what the workspace stores is within its plan, with what this transaction adds. Call it after the rows that add. Files are counted
 * exactly: their count is locked, so that two that ask at once cannot both pass. What others add to runs, sessions and the cache at this moment is
 * not seen. Returns how many bytes are left, null for a plan without a limit.
 *
 * @throws {ServiceError} QUOTA_EXCEEDED, never on a plan without a limit.
 */
export async function refuseFullStorage(tx: EnvironmentTransaction): Promise<number | null> {
  const limits = Object.fromEntries(PLANS.map((plan) => [plan, PLAN_TABLE[plan].storageBytes]));
  // Nothing is summed up where there is no limit.
  const { rows } = await tx.raw<{ rows: Row[] }>(
    `SELECT w.plan, w.allowed, u.bytes AS used
     FROM (SELECT plan, (CAST(:limits AS jsonb) ->> plan)::bigint AS allowed FROM workspaces WHERE id = current_workspace_id()) w
     LEFT JOIN LATERAL (SELECT
         coalesce((SELECT f.bytes FROM storage_used f WHERE f.workspace_id = current_workspace_id()), 0)
         + coalesce((SELECT sum(s.bytes) FROM stored_state s WHERE s.workspace_id = current_workspace_id()), 0) AS bytes
       WHERE w.allowed IS NOT NULL) u ON true`,
    { limits: JSON.stringify(limits) },
  );
  const [full] = rows;
  if (full === undefined) throw new Error('storage is asked for in the transaction of a workspace that exists');
  if (full.allowed === null) return null;
  const left = Number(full.allowed) - Number(full.used);
  if (left >= 0) return left;
  throw new ServiceError('QUOTA_EXCEEDED', {
    message:
      `The ${PLAN_TABLE[full.plan].title} plan includes ${full.allowed} bytes of storage for files, runs, sessions and cached answers, and with ` +
      `this the workspace would use ${full.used}. Delete some of them; a larger plan has more. Nothing was stored.`,
  });
}
