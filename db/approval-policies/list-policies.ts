import type { EnvironmentTransaction } from '../client.ts';
import { POLICY_COLUMNS, type PolicyRecord } from './records.ts';

export interface ListPoliciesFilter {
  /** Exactly this name. */
  name?: string | undefined;
  enabled?: boolean | undefined;
  includeArchived: boolean;
  limit: number;
  offset: number;
}

/** One page of the policies, newest first, and how many there are in all. */
export async function listPolicies(
  tx: EnvironmentTransaction,
  filter: ListPoliciesFilter,
): Promise<{ items: PolicyRecord[]; total: number }> {
  const matching = tx('approval_policies as p');
  if (filter.name !== undefined) void matching.where('p.name', filter.name);
  if (filter.enabled !== undefined) void matching.where('p.enabled', filter.enabled);
  if (!filter.includeArchived) void matching.whereNull('p.archived_at');
  const counted = await matching.clone().count<{ count: string }[]>();
  const items = await matching
    .clone()
    .join('approval_policy_versions as v', (on) => on.on('v.policy_id', 'p.id').andOn('v.version', 'p.current_version'))
    .select<PolicyRecord[]>(POLICY_COLUMNS)
    .orderBy([
      { column: 'p.created_at', order: 'desc' },
      { column: 'p.id', order: 'desc' },
    ])
    .limit(filter.limit)
    .offset(filter.offset);
  return { items, total: Number(counted[0]?.count ?? 0) };
}
