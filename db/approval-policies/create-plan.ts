import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { PlannedChange, PolicyAuthor } from './records.ts';

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
  const { rows } = await tx.raw<{ rows: { expiresAt: Date }[] }>(
    `INSERT INTO policy_plans (id, environment_id, base_revision, digest, changes, created_by, expires_at)
     VALUES (:id, current_environment_id(), :baseRevision, :digest, :changes, :createdBy, now() + :lifetimeSeconds * interval '1 second')
     RETURNING expires_at AS "expiresAt"`,
    { ...plan, id, changes: JSON.stringify(plan.changes), createdBy: JSON.stringify(plan.createdBy) },
  );
  const row = rows[0];
  if (row === undefined) throw new Error('a plan was inserted and came back as no row');
  return { id, expiresAt: row.expiresAt };
}
