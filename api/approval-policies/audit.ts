import type { PolicyRecord } from '../../db/approval-policies/records.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { AuditEntry } from '../http/define-route.ts';

export type PolicyChange = 'approval_policy.created' | 'approval_policy.updated' | 'approval_policy.deleted';

/** Records the newest version; its document is immutable and readable by its number. */
export function policyEntry(action: PolicyChange, policy: PolicyRecord, also: JsonObject = {}): AuditEntry {
  const { id, name, version, digest, enabled } = policy;
  return { action, target: { type: 'approval_policy', id }, details: { name, version, digest, enabled, ...also } };
}
