import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { LISTED_DOCUMENT, type ListedPolicyRecord, POLICY_COLUMNS } from './records.ts';

const { document: _cut, ...SHOWN_COLUMNS } = POLICY_COLUMNS;

export interface ListPoliciesFilter extends Range {
  /** An exact match. */
  name?: string | undefined;
  enabled?: boolean | undefined;
  includeArchived: boolean;
}

/** One page of policies, newest first, with the total count. Large documents are shortened. */
export async function listPolicies(
  tx: EnvironmentTransaction,
  filter: ListPoliciesFilter,
): Promise<Page<ListedPolicyRecord>> {
  return pageOf(tx, {
    columns: `${selected(SHOWN_COLUMNS)}, ${LISTED_DOCUMENT}`,
    from: 'approval_policies p',
    joins: 'JOIN approval_policy_versions v ON v.policy_id = p.id AND v.version = p.current_version',
    where: 'p.environment_id = current_environment_id() AND (:includeArchived OR p.archived_at IS NULL)',
    filters: { name: 'p.name = :name', enabled: 'p.enabled = :enabled' },
    order: 'p.created_at DESC, p.id DESC',
    asked: filter,
  });
}
