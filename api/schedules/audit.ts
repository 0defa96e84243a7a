import type { ScheduleRecord } from '../../db/schedules/records.ts';
import type { JsonObject } from '../../domain/json.ts';
import { auditedHost } from '../audit/audited-host.ts';
import type { AuditEntry } from '../http/define-route.ts';

/** Records when a schedule fires and where to, and nothing of its payload. */
export function scheduleEntry(
  action: 'schedule.created' | 'schedule.updated' | 'schedule.paused' | 'schedule.resumed',
  after: ScheduleRecord,
  before: ScheduleRecord = after,
): AuditEntry {
  return {
    action,
    target: { type: 'schedule', id: after.id },
    details: { ...shown(after), ...(before === after ? {} : { before: shown(before) }) },
  };
}

function shown({ name, cron, timezone, overlap, catchUpSeconds, paused, destination }: ScheduleRecord): JsonObject {
  const { url, urlGroup, topic } = destination.request;
  const to = { host: url === undefined ? null : auditedHost(url), urlGroup: urlGroup ?? null, topic: topic ?? null };
  return { name, cron, timezone, overlap, catchUpSeconds, paused, ...to };
}
