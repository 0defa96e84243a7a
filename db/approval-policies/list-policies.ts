import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { LISTED_DOCUMENT, type ListedPolicyRecord, POLICY_COLUMNS } from './records.ts';

const { document: _cut, ...SHOWN_COLUMNS } = POLICY_COLUMNS;

export interface ListPoliciesFilter {
  /** An exact match. */
  name?: string | undefined;
  enabled?: boolean | undefined;
  includeArchived: boolean;
  limit: number;
  offset: number;
}

/** One page of policies, newest first, with the total count. Large documents are shortened. */
export async function listPolicies(
  tx: EnvironmentTransaction,
  filter: ListPoliciesFilter,
): Promise<{ items: ListedPolicyRecord[]; total: number }> {
  const where = `WHERE p.environment_id = current_environment_id() AND (CAST(:name AS text) IS NULL OR p.name = :name)
    AND (CAST(:enabled AS boolean) IS NULL OR p.enabled = :enabled) AND (:includeArchived OR p.archived_at IS NULL)`;
  const bindings = {
    name: filter.name ?? null,
    enabled: filter.enabled ?? null,
    includeArchived: filter.includeArchived,
  };
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM approval_policies p ${where}`,
    bindings,
  );
  const page = await tx.raw<{ rows: ListedPolicyRecord[] }>(
    `SELECT ${selected(SHOWN_COLUMNS)}, ${LISTED_DOCUMENT}
     FROM approval_policies p JOIN approval_policy_versions v ON v.policy_id = p.id AND v.version = p.current_version
     ${where} ORDER BY p.created_at DESC, p.id DESC LIMIT :limit OFFSET :offset`,
    { ...bindings, limit: filter.limit, offset: filter.offset },
  );
  return { items: page.rows, total: counted.rows[0]?.total ?? 0 };
}
