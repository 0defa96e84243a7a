import type { MessageStatus } from '../../domain/messages/messages.ts';
import type { RunOutcome } from '../../domain/schedules/schedules.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { RunRecord } from '../schedules/records.ts';

/** What became of a slot of a schedule, with how what it published was delivered. */
export interface ScheduleExecution extends Omit<RunRecord, 'messages'> {
  scheduleId: string;
  messageIds: string[];
  /** Statuses of its messages, or of the deliveries of its event, as far as they are kept; each status once. */
  statuses: MessageStatus[];
}

export interface ExecutionFilter {
  /** Half-open, over the time at which the outcome came. */
  from: Date;
  to: Date;
  scheduleId: string | null;
  outcome: RunOutcome | null;
}

interface Row extends Omit<ScheduleExecution, 'error'> {
  code: string | null;
  reason: string | null;
}

const SHOWN = `r.environment_id = current_environment_id() AND r.fired_at >= :from AND r.fired_at < :to
  AND (CAST(:scheduleId AS text) IS NULL OR r.schedule_id = :scheduleId) AND (CAST(:outcome AS text) IS NULL OR r.outcome = :outcome)`;

/** The runs of all schedules whose outcome came in the range, the newest outcome first. */
export async function listScheduleExecutions(
  tx: EnvironmentTransaction,
  filter: ExecutionFilter,
  page: { limit: number; offset: number },
): Promise<{ total: number; items: ScheduleExecution[] }> {
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM schedule_runs r WHERE ${SHOWN}`,
    { ...filter },
  );
  const { rows } = await tx.raw<{ rows: Row[] }>(
    `SELECT r.schedule_id AS "scheduleId", r.trigger, r.nominal_at AS "nominalAt", r.fired_at AS "firedAt", r.outcome,
       r.message_ids AS "messageIds", r.event_id AS "eventId", r.error_code AS code, r.error_message AS reason,
       COALESCE(of_event.statuses, of_messages.statuses, '{}') AS statuses
     FROM (SELECT * FROM schedule_runs r WHERE ${SHOWN}
       ORDER BY r.fired_at DESC, r.schedule_id DESC, r.nominal_at DESC, r.trigger DESC LIMIT :limit OFFSET :offset) r
     LEFT JOIN LATERAL (SELECT array_agg(DISTINCT m.status) AS statuses FROM messages m WHERE m.id = ANY (r.message_ids)) of_messages ON true
     LEFT JOIN LATERAL (SELECT array_agg(DISTINCT m.status) AS statuses FROM messages m
       WHERE r.event_id IS NOT NULL AND m.event_id = r.event_id) of_event ON true
     ORDER BY r.fired_at DESC, r.schedule_id DESC, r.nominal_at DESC, r.trigger DESC`,
    { ...filter, ...page },
  );
  const items = rows.map(({ code, reason, ...run }) => ({
    ...run,
    error: code === null || reason === null ? null : { code, message: reason },
  }));
  return { total: counted.rows[0]?.total ?? 0, items };
}
