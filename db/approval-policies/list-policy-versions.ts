import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { LISTED_DOCUMENT, type ListedPolicyVersionRecord, VERSION_COLUMNS } from './records.ts';

const { document: _cut, ...SHOWN_COLUMNS } = VERSION_COLUMNS;

/** One page of a policy's versions, newest first, with the total count. Large documents are shortened. */
export async function listPolicyVersions(
  tx: EnvironmentTransaction,
  policyId: string,
  range: Range,
): Promise<Page<ListedPolicyVersionRecord>> {
  return pageOf(tx, {
    columns: `${selected(SHOWN_COLUMNS)}, ${LISTED_DOCUMENT}`,
    from: 'approval_policy_versions v',
    where: 'policy_id = :policyId',
    order: 'version DESC',
    asked: { policyId, ...range },
  });
}
