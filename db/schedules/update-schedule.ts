import { firesMoreOften } from '../../domain/schedules/slots.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { NewSchedule } from './insert-schedule.ts';
import { recordUnfired } from './record-unfired.ts';
import { refuseTooManyFirings } from './refuse-too-many-firings.ts';
import { destinationColumns, SCHEDULE_COLUMNS, scheduleOf, type ScheduleRecord, type ScheduleRow } from './records.ts';

/**
 * Writes a changed schedule, whose row is locked, as its next revision. Temporal is told of it after the commit. A slot that has passed
 * and was not fired is still expected where the change leaves the times as they are or names it too, and else has a run. Throws QUOTA_EXCEEDED
 * where it fires more often than before, and the workspace's schedules too often. A change that lets it fire less often passes whatever
 * they do. `now` is when it changes, behind the lock: a pause begins and ends then.
 */
export async function updateSchedule(
  tx: EnvironmentTransaction,
  before: ScheduleRecord,
  schedule: Omit<NewSchedule, 'createdBy'>,
  now: Date,
): Promise<ScheduleRecord> {
  const expected = await recordUnfired(tx, before, schedule, now);
  const { destination, ...plain } = { ...schedule, dueAt: expected ?? schedule.dueAt };
  const { rows } = await tx.raw<{ rows: ScheduleRow[] }>(
    `UPDATE schedules s SET name = :name, cron = :cron, timezone = :timezone, overlap = :overlap, catch_up_seconds = :catchUpSeconds,
       destination = CAST(:request AS jsonb), headers = CAST(:headers AS jsonb), body = :body, body_kind = :bodyKind, body_sealed = :bodySealed,
       master_key_version = :masterKeyVersion, wrapped_data_key = :wrappedDataKey, sealed_value = :sealedValue, paused = :paused,
       pauses = CASE WHEN s.paused = :paused THEN s.pauses
         WHEN :paused THEN with_newest_range(s.pauses, tstzrange(CAST(:now AS timestamptz), NULL))
         ELSE s.pauses * tstzmultirange(tstzrange(NULL, CAST(:now AS timestamptz), '[]')) END,
       due_at = CASE WHEN s.cron = :cron AND s.timezone = :timezone AND s.paused = :paused THEN s.due_at ELSE CAST(:dueAt AS timestamptz) END,
       revision = s.revision + 1, updated_at = now()
     WHERE s.id = :id AND s.deleted_at IS NULL RETURNING ${SCHEDULE_COLUMNS}`,
    { ...plain, ...destinationColumns(destination), now: now.toISOString() },
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`schedule ${schedule.id} was locked and is gone`);
  if (firesMoreOften(before, schedule)) await refuseTooManyFirings(tx);
  return scheduleOf(row);
}
