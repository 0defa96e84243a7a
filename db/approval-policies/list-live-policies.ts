import type { EnvironmentTransaction } from '../client.ts';
import { POLICY_COLUMNS, type PolicyRecord } from './records.ts';

/** Every policy that is not archived, enabled or not, by name: what files are compared with. There are few (LIVE_POLICIES_MAX). */
export async function listLivePolicies(tx: EnvironmentTransaction): Promise<PolicyRecord[]> {
  return tx('approval_policies as p')
    .join('approval_policy_versions as v', (on) => on.on('v.policy_id', 'p.id').andOn('v.version', 'p.current_version'))
    .whereNull('p.archived_at')
    .select<PolicyRecord[]>(POLICY_COLUMNS)
    .orderBy('p.name');
}
