import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { LISTED_DOCUMENT, type ListedPolicyVersionRecord, VERSION_COLUMNS } from './records.ts';

const { document: _cut, ...SHOWN_COLUMNS } = VERSION_COLUMNS;

/** One page of a policy's versions, newest first, with the total count. Large documents are shortened. */
export async function listPolicyVersions(
  tx: EnvironmentTransaction,
  policyId: string,
  range: { limit: number; offset: number },
): Promise<{ items: ListedPolicyVersionRecord[]; total: number }> {
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    'SELECT count(*)::int AS total FROM approval_policy_versions WHERE policy_id = ?',
    [policyId],
  );
  const page = await tx.raw<{ rows: ListedPolicyVersionRecord[] }>(
    `SELECT ${selected(SHOWN_COLUMNS)}, ${LISTED_DOCUMENT} FROM approval_policy_versions v WHERE policy_id = :policyId
     ORDER BY version DESC LIMIT :limit OFFSET :offset`,
    { policyId, ...range },
  );
  return { items: page.rows, total: counted.rows[0]?.total ?? 0 };
}
