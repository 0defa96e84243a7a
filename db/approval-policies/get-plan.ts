import type { EnvironmentTransaction } from '../client.ts';
import type { PlanRecord } from './records.ts';

/** A plan of the transaction's environment, locked, so that nobody applies it or deletes it for its age at the same time. */
export async function getPlan(tx: EnvironmentTransaction, id: string): Promise<PlanRecord | null> {
  const { rows } = await tx.raw<{ rows: (Omit<PlanRecord, 'baseRevision'> & { baseRevision: string })[] }>(
    `SELECT id, base_revision AS "baseRevision", digest, changes, expires_at AS "expiresAt",
       expires_at <= now() AS "isExpired", result FROM policy_plans WHERE id = ? FOR UPDATE`,
    [id],
  );
  const row = rows[0];
  return row === undefined ? null : { ...row, baseRevision: Number(row.baseRevision) };
}
