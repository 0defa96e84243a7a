import { ServiceError } from '../../domain/errors.ts';
import { PLAN_TABLE, type PlanName, PLANS } from '../../domain/plans.ts';
import type { EnvironmentTransaction } from '../client.ts';

interface Row {
  plan: PlanName;
  allowed: string | null;
  used: string;
}

/**
 * Whether what the workspace stores is within its plan, with what this transaction adds: the count is locked by it, so that two that
 * ask at once cannot both pass. Call it after the row that adds. Returns how many bytes are left, null for a plan without a limit.
 *
 * @throws {ServiceError} QUOTA_EXCEEDED, never on a plan without a limit.
 */
export async function refuseFullStorage(tx: EnvironmentTransaction): Promise<number | null> {
  const limits = Object.fromEntries(PLANS.map((plan) => [plan, PLAN_TABLE[plan].storageBytes]));
  const { rows } = await tx.raw<{ rows: Row[] }>(
    `SELECT w.plan, (CAST(:limits AS jsonb) ->> w.plan)::bigint AS allowed, s.bytes AS used
     FROM workspaces w JOIN storage_used s ON s.workspace_id = w.id
     WHERE w.id = current_workspace_id()`,
    { limits: JSON.stringify(limits) },
  );
  const [full] = rows;
  if (full === undefined) throw new Error('a workspace that stores a file has a count');
  if (full.allowed === null) return null;
  const left = Number(full.allowed) - Number(full.used);
  if (left >= 0) return left;
  throw new ServiceError('QUOTA_EXCEEDED', {
    message:
      `The ${PLAN_TABLE[full.plan].title} plan includes ${full.allowed} bytes of storage, and with this file the workspace would use ` +
      `${full.used}. Delete files; a larger plan has more. Nothing was stored.`,
  });
}
