import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { VERSION_COLUMNS, type PolicyVersionRecord } from './records.ts';

export async function getPolicyVersion(
  tx: EnvironmentTransaction,
  policyId: string,
  version: number,
): Promise<PolicyVersionRecord | null> {
  const { rows } = await tx.raw<{ rows: PolicyVersionRecord[] }>(
    `SELECT ${selected(VERSION_COLUMNS)} FROM approval_policy_versions WHERE policy_id = ? AND version = ?`,
    [policyId, version],
  );
  return rows[0] ?? null;
}
