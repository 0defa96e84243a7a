import { ServiceError } from '../../domain/errors.ts';
import { type Overlap, SCHEDULES_PER_ENVIRONMENT_MAX } from '../../domain/schedules/schedules.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { StoredDestination } from './destination.ts';
import { refuseTooManyFirings } from './refuse-too-many-firings.ts';
import { destinationColumns, SCHEDULE_COLUMNS, scheduleOf, type ScheduleRecord, type ScheduleRow } from './records.ts';

export interface NewSchedule {
  id: string;
  name: string | null;
  cron: string;
  timezone: string;
  overlap: Overlap;
  catchUpSeconds: number;
  destination: StoredDestination;
  paused: boolean;
  createdBy: { type: string; id: string | null };
  /** The next slot; null for a paused schedule. */
  dueAt: Date | null;
}

/** Inserts a schedule. Throws QUOTA_EXCEEDED where the environment has as many as it may, or the workspace's would fire too often. */
export async function insertSchedule(tx: EnvironmentTransaction, schedule: NewSchedule): Promise<ScheduleRecord> {
  await requireRoom(tx);
  const { destination, createdBy, ...plain } = schedule;
  const { rows } = await tx.raw<{ rows: ScheduleRow[] }>(
    `INSERT INTO schedules AS s (id, environment_id, name, cron, timezone, overlap, catch_up_seconds, destination, headers, body, body_kind,
       body_sealed, master_key_version, wrapped_data_key, sealed_value, paused, pauses, created_by, due_at)
     VALUES (:id, current_environment_id(), :name, :cron, :timezone, :overlap, :catchUpSeconds, CAST(:request AS jsonb), CAST(:headers AS jsonb),
       :body, :bodyKind, :bodySealed, :masterKeyVersion, :wrappedDataKey, :sealedValue, :paused,
       CASE WHEN :paused THEN tstzmultirange(tstzrange(now(), NULL)) ELSE '{}' END, CAST(:createdBy AS jsonb), :dueAt)
     RETURNING ${SCHEDULE_COLUMNS}`,
    { ...plain, ...destinationColumns(destination), createdBy: JSON.stringify(createdBy) },
  );
  const [row] = rows;
  if (row === undefined) throw new Error('an inserted schedule was not returned');
  if (!schedule.paused) await refuseTooManyFirings(tx);
  return scheduleOf(row);
}

async function requireRoom(tx: EnvironmentTransaction): Promise<void> {
  // Serialized: two requests that counted at the same time would both miss the other's schedule.
  await tx.raw("SELECT pg_advisory_xact_lock(hashtextextended('schedules/' || current_environment_id(), 0))");
  const { rows } = await tx.raw<{ rows: { live: number }[] }>(
    'SELECT count(*)::int AS live FROM schedules WHERE environment_id = current_environment_id() AND deleted_at IS NULL',
  );
  if ((rows[0]?.live ?? 0) < SCHEDULES_PER_ENVIRONMENT_MAX) return;
  throw new ServiceError('QUOTA_EXCEEDED', {
    message: `An environment has at most ${SCHEDULES_PER_ENVIRONMENT_MAX} schedules. Delete one that is no longer needed.`,
  });
}
