import type { Database } from '../client.ts';
import { CHANNELS } from '../announcements/notification-listener.ts';

/** Why, and since when, expensive work is paused for the installation. */
export interface ExpensiveWorkPause {
  pausedAt: Date;
  reason: string;
}

interface Row {
  expensive_work_paused_at: Date | null;
  expensive_work_paused_reason: string | null;
}

/** The current pause, or null. */
export async function readExpensiveWorkPause(db: Database): Promise<ExpensiveWorkPause | null> {
  const row = await db.directory.row<Row>(
    'read_expensive_work_pause',
    'SELECT expensive_work_paused_at, expensive_work_paused_reason FROM installation',
  );
  if (row === null) throw new Error('the row of the installation is gone');
  const { expensive_work_paused_at: pausedAt, expensive_work_paused_reason: reason } = row;
  return pausedAt === null || reason === null ? null : { pausedAt, reason };
}

/** Pauses expensive work, or resumes it, and notifies every process. A repeated pause replaces the reason and keeps the time. */
export async function setExpensiveWorkPause(db: Database, reason: string | null): Promise<void> {
  await db.directory.raw(
    'set_expensive_work_pause',
    `WITH changed AS (
       UPDATE installation SET expensive_work_paused_reason = CAST(:reason AS text),
         expensive_work_paused_at = CASE WHEN CAST(:reason AS text) IS NULL THEN NULL ELSE COALESCE(expensive_work_paused_at, now()) END
       RETURNING 1)
     SELECT pg_notify(:channel, '') FROM changed`,
    { reason, channel: CHANNELS.expensiveWorkChanged },
  );
}
