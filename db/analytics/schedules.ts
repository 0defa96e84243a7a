import type { MessageStatus } from '../../domain/messages/messages.ts';
import type { RunOutcome } from '../../domain/schedules/schedules.ts';
import type { HistogramBucket } from '../../domain/analytics/percentiles.ts';
import type { AnalyticsRange } from '../../domain/analytics/range.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { type ErrorColumns, type RunRecord, withRunError } from '../schedules/records.ts';
import { HISTOGRAMS, ROLLUPS, sumBoundsOf } from './rollups.ts';

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

/** What became of a schedule in a range. */
export interface ScheduleFirings {
  published: number;
  skipped: number;
  failed: number;
  missed: number;
  /** From slot to message, of the published ones. */
  lateness: HistogramBucket[];
  /** Messages of its firings that ended in the range. */
  delivery: { delivered: number; failed: number };
}

const NOTHING = { published: 0, skipped: 0, failed: 0, missed: 0 };

/** The firings of each of these schedules; one that did nothing in the range has zeros. */
export async function readScheduleFirings(
  tx: EnvironmentTransaction,
  range: AnalyticsRange,
  scheduleIds: readonly string[],
): Promise<(scheduleId: string) => ScheduleFirings> {
  const bounds = { ...sumBoundsOf(range), scheduleIds };
  const [counted, lateness] = await tx.inOrder(
    () =>
      tx.raw<{ rows: { id: string; kind: string; outcome: string; n: number }[] }>(
        'read_schedule_firings',
        `SELECT r.d2 AS id, r.kind, r.d1 AS outcome, sum(r.n)::float8 AS n FROM ${ROLLUPS} r
       WHERE r.kind IN ('schedules.fired', 'schedules.delivery') AND r.d2 = ANY (:scheduleIds) GROUP BY 1, 2, 3`,
        bounds,
      ),
    () =>
      tx.raw<{ rows: (HistogramBucket & { id: string })[] }>(
        'read_schedule_firings_2',
        `SELECT r.d2 AS id, r.bucket, sum(r.n)::float8 AS n FROM ${HISTOGRAMS} r
       WHERE r.kind = 'schedules.fired' AND r.d2 = ANY (:scheduleIds) GROUP BY 1, 2`,
        bounds,
      ),
  );
  const found = new Map<string, ScheduleFirings>();
  const of = (id: string): ScheduleFirings => {
    const known = found.get(id) ?? { ...NOTHING, lateness: [], delivery: { delivered: 0, failed: 0 } };
    found.set(id, known);
    return known;
  };
  for (const { id, kind, outcome, n } of counted.rows) {
    if (kind === 'schedules.delivery') {
      if (outcome === 'delivered' || outcome === 'failed') of(id).delivery[outcome] = n;
    } else if (Object.hasOwn(NOTHING, outcome)) of(id)[outcome as keyof typeof NOTHING] = n;
  }
  for (const { id, bucket, n } of lateness.rows) of(id).lateness.push({ bucket, n });
  return of;
}
