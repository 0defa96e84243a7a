import type { EnvironmentTransaction } from '../client.ts';
import { VERSION_COLUMNS, type PolicyVersionRecord } from './records.ts';

/** One page of a policy's versions, newest first, and how many there are in all. */
export async function listPolicyVersions(
  tx: EnvironmentTransaction,
  policyId: string,
  page: { limit: number; offset: number },
): Promise<{ items: PolicyVersionRecord[]; total: number }> {
  const matching = tx('approval_policy_versions').where({ policy_id: policyId });
  const counted = await matching.clone().count<{ count: string }[]>();
  const items = await matching
    .clone()
    .select<PolicyVersionRecord[]>(VERSION_COLUMNS)
    .orderBy('version', 'desc')
    .limit(page.limit)
    .offset(page.offset);
  return { items, total: Number(counted[0]?.count ?? 0) };
}
