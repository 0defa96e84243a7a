import type { EnvironmentTransaction } from '../client.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import { LISTED_MEMBER_BYTES_MAX, type Shortened, withShortened } from '../columns.ts';
import {
  type ErrorColumns,
  type RunRecord,
  SCHEDULE_COLUMNS,
  scheduleOf,
  type ScheduleRecord,
  type ScheduleRow,
  withRunError,
} from './records.ts';

/** A schedule that is not deleted, or null. */
export async function getSchedule(tx: EnvironmentTransaction, scheduleId: string): Promise<ScheduleRecord | null> {
  return find(tx, scheduleId, '');
}

/** The same, its row locked until the transaction ends: one change or firing of a schedule at a time. */
export async function lockSchedule(tx: EnvironmentTransaction, scheduleId: string): Promise<ScheduleRecord | null> {
  return find(tx, scheduleId, 'FOR UPDATE');
}

async function find(
  tx: EnvironmentTransaction,
  scheduleId: string,
  lock: '' | 'FOR UPDATE',
): Promise<ScheduleRecord | null> {
  const rows = await tx.rows<ScheduleRow>(
    { variantsOf: 'schedules_find' },
    `SELECT ${SCHEDULE_COLUMNS} FROM schedules s WHERE s.id = ? AND s.deleted_at IS NULL ${lock}`,
    [scheduleId],
  );
  return rows[0] === undefined ? null : scheduleOf(rows[0]);
}

/** Its destination is without the large members, which stand beside it shortened. */
export type ListedSchedule = ScheduleRecord & { shortened: { body: Shortened | null; headers: Shortened | null } };

const IS_LARGE = `(octet_length(s.body) > ${LISTED_MEMBER_BYTES_MAX})`;
const COLUMNS = withShortened(SCHEDULE_COLUMNS, 's', ['headers']).replace(
  's.body,',
  `CASE WHEN NOT ${IS_LARGE} THEN s.body END AS body,`,
);

type ListedRow = Omit<ScheduleRow, 'headers'> & {
  headers: ScheduleRow['headers'] | Shortened;
  shortenedBody: Shortened | null;
};

/** A header has a text for its value. */
function isShortened(headers: ListedRow['headers']): headers is Shortened {
  return headers?.['truncated'] === true;
}

/** Newest first, ties by id, with large bodies and headers shortened. */
export async function listSchedules(tx: EnvironmentTransaction, range: Range): Promise<Page<ListedSchedule>> {
  const { items, total } = await pageOf<ListedRow>(tx, {
    name: 'list_schedules',
    columns: `${COLUMNS}, CASE WHEN ${IS_LARGE} THEN shortened_text(s.body, ${LISTED_MEMBER_BYTES_MAX}) END AS "shortenedBody"`,
    from: 'schedules s',
    where: 's.environment_id = current_environment_id() AND s.deleted_at IS NULL',
    order: 's.created_at DESC, s.id DESC',
    asked: range,
  });
  return { items: items.map(listedOf), total };
}

function listedOf({ shortenedBody, headers, ...row }: ListedRow): ListedSchedule {
  const [whole, cut] = isShortened(headers) ? [null, headers] : [headers, null];
  return { ...scheduleOf({ ...row, headers: whole }), shortened: { body: shortenedBody, headers: cut } };
}

type Row = Omit<RunRecord, 'error'> & ErrorColumns;

/** The runs of a schedule, newest first, each with its messages as they are now. */
export async function listRuns(
  tx: EnvironmentTransaction,
  asked: { scheduleId: string } & Range,
): Promise<Page<RunRecord>> {
  const { items, total } = await pageOf<Row>(tx, {
    name: 'list_schedules_runs',
    columns: `r.trigger, r.nominal_at AS "nominalAt", r.fired_at AS "firedAt", r.outcome, r.error_code AS code, r.error_message AS reason,
        r.event_id AS "eventId",
        COALESCE((SELECT json_agg(json_build_object('messageId', i.id, 'status', m.status) ORDER BY i.position)
          FROM unnest(r.message_ids) WITH ORDINALITY i (id, position) LEFT JOIN messages m ON m.id = i.id), '[]') AS messages`,
    from: 'schedule_runs r',
    where: 'r.schedule_id = :scheduleId',
    order: 'r.nominal_at DESC, r.trigger',
    asked,
  });
  return { items: items.map(withRunError), total };
}

/** The nominal time of a run by hand: now, and later than the last one, the schedule's row being locked. */
export async function nextManualTime(tx: EnvironmentTransaction, scheduleId: string): Promise<Date> {
  const row = await tx.row<{ nominalAt: Date }>(
    'next_manual_time',
    `SELECT GREATEST(date_trunc('milliseconds', clock_timestamp()), max(nominal_at) + interval '1 millisecond') AS "nominalAt"
     FROM schedule_runs WHERE schedule_id = ? AND trigger = 'manual'`,
    [scheduleId],
  );
  if (row === null) throw new Error('an aggregate answers one row');
  return row.nominalAt;
}
