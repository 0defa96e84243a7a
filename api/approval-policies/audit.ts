import type { PolicyRecord } from '../../db/approval-policies/records.ts';
import { recordAudit } from '../../db/audit/record-audit.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Actor, Caller } from '../http/define-route.ts';

export interface Who {
  caller: Pick<Caller, 'tenant'>;
  actor: Actor;
  requestId: string;
}

export type PolicyChange = 'approval_policy.created' | 'approval_policy.updated' | 'approval_policy.deleted';

/** Records a change of a policy with its newest version, whose document is immutable and readable by its number. */
export async function recordPolicyChange(
  tx: EnvironmentTransaction,
  change: PolicyChange,
  policy: PolicyRecord,
  { caller, actor, requestId }: Who,
  also: JsonObject = {},
): Promise<void> {
  const { name, version, digest, enabled } = policy;
  await recordAudit(tx, {
    workspaceId: caller.tenant.workspaceId,
    actor,
    action: change,
    target: { type: 'approval_policy', id: policy.id },
    details: { name, version, digest, enabled, ...also },
    requestId,
  });
}
