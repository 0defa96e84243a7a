import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { POLICY_COLUMNS, type PolicyRecord } from './records.ts';

/**
 * Every policy that is not archived, enabled or not, by name. Plans compare files with them; LIVE_POLICIES_MAX bounds their
 * number.
 */
export async function listLivePolicies(tx: EnvironmentTransaction): Promise<PolicyRecord[]> {
  const { rows } = await tx.raw<{ rows: PolicyRecord[] }>(
    `SELECT ${selected(POLICY_COLUMNS)} FROM approval_policies p JOIN approval_policy_versions v ON v.policy_id = p.id AND v.version = p.current_version
     WHERE p.environment_id = current_environment_id() AND p.archived_at IS NULL ORDER BY p.name`,
  );
  return rows;
}
