import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { VERSION_COLUMNS, type PolicyVersionRecord } from './records.ts';

/** One page of a policy's versions, newest first, and how many there are in all. */
export async function listPolicyVersions(
  tx: EnvironmentTransaction,
  policyId: string,
  range: { limit: number; offset: number },
): Promise<{ items: PolicyVersionRecord[]; total: number }> {
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    'SELECT count(*)::int AS total FROM approval_policy_versions WHERE policy_id = ?',
    [policyId],
  );
  const page = await tx.raw<{ rows: PolicyVersionRecord[] }>(
    `SELECT ${selected(VERSION_COLUMNS)} FROM approval_policy_versions WHERE policy_id = :policyId
     ORDER BY version DESC LIMIT :limit OFFSET :offset`,
    { policyId, ...range },
  );
  return { items: page.rows, total: counted.rows[0]?.total ?? 0 };
}
