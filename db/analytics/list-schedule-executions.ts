import { type Page, pageOf, type Range } from '../page.ts';
import type { MessageStatus } from '../../domain/messages/messages.ts';
import type { RunOutcome } from '../../domain/schedules/schedules.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { type ErrorColumns, type RunRecord, withRunError } from '../schedules/records.ts';

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

type Row = Omit<ScheduleExecution, 'error'> & ErrorColumns;

/** The runs of all schedules whose outcome came in the range, the newest outcome first. */
export async function listScheduleExecutions(
  tx: EnvironmentTransaction,
  filter: ExecutionFilter & Range,
): Promise<Page<ScheduleExecution>> {
  const { items, total } = await pageOf<Row>(tx, {
    name: 'list_schedule_executions',
    columns: `r.schedule_id AS "scheduleId", r.trigger, r.nominal_at AS "nominalAt", r.fired_at AS "firedAt", r.outcome,
        r.message_ids AS "messageIds", r.event_id AS "eventId", r.error_code AS code, r.error_message AS reason,
        COALESCE(of_event.statuses, of_messages.statuses, '{}') AS statuses`,
    from: 'schedule_runs r',
    joins: `LEFT JOIN LATERAL (SELECT array_agg(DISTINCT m.status) AS statuses FROM messages m WHERE m.id = ANY (r.message_ids)) of_messages ON true
        LEFT JOIN LATERAL (SELECT array_agg(DISTINCT m.status) AS statuses FROM messages m
          WHERE r.event_id IS NOT NULL AND m.event_id = r.event_id) of_event ON true`,
    where: 'r.environment_id = current_environment_id() AND r.fired_at >= :from AND r.fired_at < :to',
    filters: { scheduleId: 'r.schedule_id = :scheduleId', outcome: 'r.outcome = :outcome' },
    order: 'r.fired_at DESC, r.schedule_id DESC, r.nominal_at DESC, r.trigger DESC',
    asked: filter,
  });
  return { items: items.map(withRunError), total };
}
