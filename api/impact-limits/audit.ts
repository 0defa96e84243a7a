import { recordAudit } from '../../db/audit/record-audit.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import type { LimitRecord } from '../../db/impact-limits/records.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Actor, Caller } from '../http/define-route.ts';

/** Appends to the audit log who made or changed a limit. Call it last in the transaction. */
export async function recordLimitChange(
  tx: EnvironmentTransaction,
  action: 'impact_limit.created' | 'impact_limit.updated' | 'impact_limit.archived',
  after: LimitRecord,
  by: { caller: Caller; actor: Actor; requestId: string },
  before: LimitRecord = after,
): Promise<void> {
  await recordAudit(tx, {
    workspaceId: by.caller.tenant.workspaceId,
    actor: by.actor,
    action,
    target: { type: 'impact_limit', id: after.id },
    details: { ...changeable(after), ...(before === after ? {} : { before: changeable(before) }) },
    requestId: by.requestId,
  });
}

function changeable({ name, cap, thresholds }: LimitRecord): JsonObject {
  return { name, cap, thresholds };
}
