import type { EnvironmentTransaction } from '../client.ts';
import { SCHEDULE_COLUMNS, scheduleOf, type ScheduleRecord, type ScheduleRow } from './records.ts';

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
  const { rows } = await tx.raw<{ rows: ScheduleRow[] }>(
    `SELECT ${SCHEDULE_COLUMNS} FROM schedules s WHERE s.id = ? AND s.deleted_at IS NULL ${lock}`,
    [scheduleId],
  );
  return rows[0] === undefined ? null : scheduleOf(rows[0]);
}
