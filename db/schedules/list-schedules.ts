import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { LISTED_MEMBER_BYTES_MAX, type Shortened, withShortened } from '../shortened.ts';
import { SCHEDULE_COLUMNS, scheduleOf, type ScheduleRecord, type ScheduleRow } from './records.ts';

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
