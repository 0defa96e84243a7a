import type { EnvironmentTransaction } from '../client.ts';
import { POLICY_COLUMNS, type PolicyRecord } from './records.ts';

const SELECTED = Object.entries(POLICY_COLUMNS)
  .map(([name, column]) => `${column} AS "${name}"`)
  .join(', ');

/** Finds a policy by id, archived ones included: history stays readable. */
export async function getPolicy(tx: EnvironmentTransaction, id: string): Promise<PolicyRecord | null> {
  const { rows } = await tx.raw<{ rows: PolicyRecord[] }>(
    `SELECT ${SELECTED} FROM approval_policies p
     JOIN approval_policy_versions v ON v.policy_id = p.id AND v.version = p.current_version WHERE p.id = ?`,
    [id],
  );
  return rows[0] ?? null;
}
