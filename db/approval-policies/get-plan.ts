import type { EnvironmentTransaction } from '../client.ts';
import type { PlanRecord } from './records.ts';

/** A plan of the transaction's environment. The row lock keeps others from applying it, or deleting it for its age, meanwhile. */
export async function getPlan(tx: EnvironmentTransaction, id: string): Promise<PlanRecord | null> {
  const { rows } = await tx.raw<{ rows: (Omit<PlanRecord, 'baseRevision'> & { baseRevision: string })[] }>(
    `SELECT id, base_revision AS "baseRevision", digest, changes, expires_at AS "expiresAt",
       expires_at <= now() AS "isExpired", result FROM policy_plans WHERE id = ? FOR UPDATE`,
    [id],
  );
  const row = rows[0];
  return row === undefined ? null : { ...row, baseRevision: Number(row.baseRevision) };
}
