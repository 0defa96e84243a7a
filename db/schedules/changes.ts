import { ServiceError } from '../../domain/errors.ts';
import { PLAN_TABLE, type PlanName } from '../../domain/plans.ts';
import { SCHEDULES_PER_ENVIRONMENT_MAX } from '../../domain/schedules/schedules.ts';
import { firesMoreOften } from '../../domain/schedules/slots.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { type Batch, type BatchInput, type Rewrapping, rewrapRows } from '../secrets/rewrap-rows.ts';
import {
  destinationColumns,
  SCHEDULE_COLUMNS,
  scheduleAssociatedData,
  scheduleOf,
  type ScheduleRecord,
  type ScheduleRow,
} from './records.ts';
import { recordUnfired } from './runs.ts';
import { lockSchedule } from './queries.ts';

const MINUTES_PER_HOUR = 60;

interface Row {
  plan: PlanName;
  firingsPerHour: string;
}

/**
 * Whether the active schedules of the workspace, in all its environments, fire no oftener than its plan includes. Call it behind the row
 * that fires oftener than before. The lock lasts to the commit, so that two that ask at once cannot both pass.
 * @throws {ServiceError} QUOTA_EXCEEDED (docs/plans-and-limits.md, "Firings of schedules").
 */
async function refuseTooManyFirings(tx: EnvironmentTransaction): Promise<void> {
  await tx.raw(
    'refuse_too_many_firings',
    "SELECT pg_advisory_xact_lock(hashtextextended('schedule-firings/' || current_workspace_id(), 0))",
  );
  const row = await tx.row<Row>(
    'refuse_too_many_firings_2',
    `SELECT plan, active_firings_per_hour() AS "firingsPerHour" FROM workspaces WHERE id = current_workspace_id()`,
  );
  if (row === null) throw new Error('a schedule belongs to a workspace that exists');
  const { title, scheduleFiringsPerMinute: included } = PLAN_TABLE[row.plan];
  const perMinute = Number(row.firingsPerHour) / MINUTES_PER_HOUR;
  if (perMinute <= included) return;
  throw new ServiceError('QUOTA_EXCEEDED', {
    message:
      `The ${title} plan includes ${included} firings of schedules a minute, and with this schedule those of the workspace that are not ` +
      `paused would make ${perMinute.toFixed(1)}. Let one fire less often, or pause or delete one; a larger plan has more.`,
  });
}

type NewSchedule = Omit<ScheduleRecord, 'lastRunAt' | 'revision' | 'createdAt' | 'updatedAt'>;

/** Inserts a schedule. Throws QUOTA_EXCEEDED where the environment has as many as it may, or the workspace's would fire too often. */
export async function insertSchedule(tx: EnvironmentTransaction, schedule: NewSchedule): Promise<ScheduleRecord> {
  await requireRoom(tx);
  const { destination, createdBy, ...plain } = schedule;
  const row = await tx.row<ScheduleRow>(
    'insert_schedule',
    `INSERT INTO schedules AS s (id, environment_id, name, cron, timezone, overlap, catch_up_seconds, destination, headers, body, body_kind,
       body_sealed, master_key_version, wrapped_data_key, sealed_value, paused, pauses, created_by, due_at)
     VALUES (:id, current_environment_id(), :name, :cron, :timezone, :overlap, :catchUpSeconds, CAST(:request AS jsonb), CAST(:headers AS jsonb),
       :body, :bodyKind, :bodySealed, :masterKeyVersion, :wrappedDataKey, :sealedValue, :paused,
       CASE WHEN :paused THEN tstzmultirange(tstzrange(now(), NULL)) ELSE '{}' END, CAST(:createdBy AS jsonb), :dueAt)
     RETURNING ${SCHEDULE_COLUMNS}`,
    { ...plain, ...destinationColumns(destination), createdBy: JSON.stringify(createdBy) },
  );
  if (row === null) throw new Error('an inserted schedule was not returned');
  if (!schedule.paused) await refuseTooManyFirings(tx);
  return scheduleOf(row);
}

async function requireRoom(tx: EnvironmentTransaction): Promise<void> {
  // Serialized: two requests that counted at the same time would both miss the other's schedule.
  await tx.raw(
    'schedules_require_room',
    "SELECT pg_advisory_xact_lock(hashtextextended('schedules/' || current_environment_id(), 0))",
  );
  const row = await tx.row<{ live: number }>(
    'schedules_require_room_2',
    'SELECT count(*)::int AS live FROM schedules WHERE environment_id = current_environment_id() AND deleted_at IS NULL',
  );
  if ((row?.live ?? 0) < SCHEDULES_PER_ENVIRONMENT_MAX) return;
  throw new ServiceError('QUOTA_EXCEEDED', {
    message: `An environment has at most ${SCHEDULES_PER_ENVIRONMENT_MAX} schedules. Delete one that is no longer needed.`,
  });
}

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
  const row = await tx.row<ScheduleRow>(
    'update_schedule',
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
  if (row === null) throw new Error(`schedule ${schedule.id} was locked and is gone`);
  if (firesMoreOften(before, schedule)) await refuseTooManyFirings(tx);
  return scheduleOf(row);
}

/**
 * Records that Temporal knows a revision, and what is expected of it from then on. False where the row has changed meanwhile: tell
 * again, for another teller may have been overtaken by this one.
 */
export async function markTold(
  tx: EnvironmentTransaction,
  scheduleId: string,
  told: { revision: number; renewAt: Date; dueAt: Date | null },
): Promise<boolean> {
  const rows = await tx.rows<unknown>(
    'mark_told',
    `UPDATE schedules SET told_revision = revision, renew_at = :renewAt, due_at = CAST(:dueAt AS timestamptz)
     WHERE id = :scheduleId AND revision = :revision AND deleted_at IS NULL RETURNING id`,
    { scheduleId, ...told },
  );
  return rows.length > 0;
}

/** Records that Temporal no longer has a deleted schedule. */
export async function markForgotten(tx: EnvironmentTransaction, scheduleId: string): Promise<void> {
  await tx.raw(
    'mark_forgotten',
    `UPDATE schedules SET told_revision = NULL, renew_at = NULL WHERE id = ? AND deleted_at IS NOT NULL`,
    [scheduleId],
  );
}

/**
 * Deletes a schedule as its readers see it. Its row stays without its content, because its runs and messages name it. A run that was
 * queued or waits is skipped: nothing fires it any longer.
 */
export async function deleteSchedule(tx: EnvironmentTransaction, scheduleId: string): Promise<boolean> {
  // In a statement of its own: one that waits for the row sees other tables as they were before, without the run that it waited for.
  if ((await lockSchedule(tx, scheduleId)) === null) return false;
  await tx.raw(
    'delete_schedule',
    `WITH gone AS (UPDATE schedules SET deleted_at = now(), updated_at = now(), revision = revision + 1, due_at = NULL, destination = '{}', headers = NULL,
       body = NULL, body_kind = 'none', body_sealed = false, master_key_version = NULL, wrapped_data_key = NULL, sealed_value = NULL
       WHERE id = :scheduleId)
     UPDATE schedule_runs SET outcome = 'skipped', error_code = 'DELETED', error_message = 'The schedule was deleted before this run.',
       fired_at = clock_timestamp()
     WHERE schedule_id = :scheduleId AND outcome IN ('queued', 'waiting')`,
    { scheduleId },
  );
  return true;
}

/** Rewraps the sealed destinations of the next schedules of one environment. */
export function rewrapSchedules(tx: EnvironmentTransaction, vault: Rewrapping, input: BatchInput): Promise<Batch> {
  const associatedDataOf = (id: string) => scheduleAssociatedData(input.tenant, id);
  return rewrapRows(tx, vault, { table: 'schedules', idColumn: 'id', associatedDataOf }, input);
}
