import type { EnvironmentTransaction } from '../client.ts';
import { LISTED_MEMBER_BYTES_MAX, type Shortened } from '../shortened.ts';
import { SCHEDULE_COLUMNS, scheduleOf, type ScheduleRecord, type ScheduleRow } from './records.ts';

export type ListedSchedule = ScheduleRecord & { shortenedBody: Shortened | null };

const IS_LARGE = `(octet_length(s.body) > ${LISTED_MEMBER_BYTES_MAX})`;
const COLUMNS = SCHEDULE_COLUMNS.replace('s.body,', `CASE WHEN NOT ${IS_LARGE} THEN s.body END AS body,`);

/** Newest first, ties by id, with large bodies shortened. */
export async function listSchedules(
  tx: EnvironmentTransaction,
  page: { limit: number; offset: number },
): Promise<{ total: number; items: ListedSchedule[] }> {
  const where = 'WHERE s.environment_id = current_environment_id() AND s.deleted_at IS NULL';
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM schedules s ${where}`,
  );
  const { rows } = await tx.raw<{ rows: (ScheduleRow & { shortenedBody: Shortened | null })[] }>(
    `SELECT ${COLUMNS}, CASE WHEN ${IS_LARGE} THEN shortened_text(s.body, ${LISTED_MEMBER_BYTES_MAX}) END AS "shortenedBody"
     FROM schedules s ${where} ORDER BY s.created_at DESC, s.id DESC LIMIT :limit OFFSET :offset`,
    page,
  );
  const items = rows.map(({ shortenedBody, ...row }) => ({ ...scheduleOf(row), shortenedBody }));
  return { total: counted.rows[0]?.total ?? 0, items };
}
