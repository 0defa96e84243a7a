import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import {
  LISTED_DOCUMENT,
  type ListedPolicyRecord,
  type ListedPolicyVersionRecord,
  POLICY_COLUMNS,
  type PolicyRecord,
  type PolicyVersionRecord,
  VERSION_COLUMNS,
} from './records.ts';

const SELECTED = Object.entries(POLICY_COLUMNS)
  .map(([name, column]) => `${column} AS "${name}"`)
  .join(', ');

/** Finds a policy by id, archived ones included: history stays readable. */
export async function getPolicy(tx: EnvironmentTransaction, id: string): Promise<PolicyRecord | null> {
  return tx.row<PolicyRecord>(
    'get_policy',
    `SELECT ${SELECTED} FROM approval_policies p
     JOIN approval_policy_versions v ON v.policy_id = p.id AND v.version = p.current_version WHERE p.id = ?`,
    [id],
  );
}

export async function getPolicyVersion(
  tx: EnvironmentTransaction,
  policyId: string,
  version: number,
): Promise<PolicyVersionRecord | null> {
  return tx.row<PolicyVersionRecord>(
    'get_policy_version',
    `SELECT ${selected(VERSION_COLUMNS)} FROM approval_policy_versions WHERE policy_id = ? AND version = ?`,
    [policyId, version],
  );
}

const { document: _wholePolicy, ...SHOWN_POLICY_COLUMNS } = POLICY_COLUMNS;

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
    name: 'list_policies',
    columns: `${selected(SHOWN_POLICY_COLUMNS)}, ${LISTED_DOCUMENT}`,
    from: 'approval_policies p',
    joins: 'JOIN approval_policy_versions v ON v.policy_id = p.id AND v.version = p.current_version',
    where: 'p.environment_id = current_environment_id() AND (:includeArchived OR p.archived_at IS NULL)',
    filters: { name: 'p.name = :name', enabled: 'p.enabled = :enabled' },
    order: 'p.created_at DESC, p.id DESC',
    asked: filter,
  });
}

const { document: _wholeVersion, ...SHOWN_VERSION_COLUMNS } = VERSION_COLUMNS;

/** One page of a policy's versions, newest first, with the total count. Large documents are shortened. */
export async function listPolicyVersions(
  tx: EnvironmentTransaction,
  policyId: string,
  range: Range,
): Promise<Page<ListedPolicyVersionRecord>> {
  return pageOf(tx, {
    name: 'list_policy_versions',
    columns: `${selected(SHOWN_VERSION_COLUMNS)}, ${LISTED_DOCUMENT}`,
    from: 'approval_policy_versions v',
    where: 'policy_id = :policyId',
    order: 'version DESC',
    asked: { policyId, ...range },
  });
}

/**
 * Every policy that is not archived, enabled or not, by name. Plans compare files with them; LIVE_POLICIES_MAX bounds their
 * number.
 */
export async function listLivePolicies(tx: EnvironmentTransaction): Promise<PolicyRecord[]> {
  return tx.rows<PolicyRecord>(
    'list_live_policies',
    `SELECT ${selected(POLICY_COLUMNS)} FROM approval_policies p JOIN approval_policy_versions v ON v.policy_id = p.id AND v.version = p.current_version
     WHERE p.environment_id = current_environment_id() AND p.archived_at IS NULL ORDER BY p.name`,
  );
}
