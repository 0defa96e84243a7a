import type { EnvironmentTransaction } from '../client.ts';
import { VERSION_COLUMNS, type PolicyVersionRecord } from './records.ts';

export async function getPolicyVersion(
  tx: EnvironmentTransaction,
  policyId: string,
  version: number,
): Promise<PolicyVersionRecord | null> {
  const rows = await tx('approval_policy_versions')
    .select<PolicyVersionRecord[]>(VERSION_COLUMNS)
    .where({ policy_id: policyId, version });
  return rows[0] ?? null;
}
