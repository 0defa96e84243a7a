import type { LimitRecord } from '../../db/impact-limits/records.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { AuditEntry } from '../http/define-route.ts';

export function limitEntry(
  action: 'impact_limit.created' | 'impact_limit.updated' | 'impact_limit.archived',
  after: LimitRecord,
  before: LimitRecord = after,
): AuditEntry {
  return {
    action,
    target: { type: 'impact_limit', id: after.id },
    details: { ...changeable(after), ...(before === after ? {} : { before: changeable(before) }) },
  };
}

function changeable({ name, cap, thresholds }: LimitRecord): JsonObject {
  return { name, cap, thresholds };
}
