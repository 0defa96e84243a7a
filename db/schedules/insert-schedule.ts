import type { Overlap } from '../../domain/schedules/schedules.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { StoredDestination } from './destination.ts';
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

export async function insertSchedule(tx: EnvironmentTransaction, schedule: NewSchedule): Promise<ScheduleRecord> {
  const { destination, createdBy, ...plain } = schedule;
  const { rows } = await tx.raw<{ rows: ScheduleRow[] }>(
    `INSERT INTO schedules AS s (id, environment_id, name, cron, timezone, overlap, catch_up_seconds, destination, headers, body, body_kind,
       body_sealed, master_key_version, wrapped_data_key, sealed_value, paused, created_by, due_at)
     VALUES (:id, current_environment_id(), :name, :cron, :timezone, :overlap, :catchUpSeconds, CAST(:request AS jsonb), CAST(:headers AS jsonb),
       :body, :bodyKind, :bodySealed, :masterKeyVersion, :wrappedDataKey, :sealedValue, :paused, CAST(:createdBy AS jsonb), :dueAt)
     RETURNING ${SCHEDULE_COLUMNS}`,
    { ...plain, ...destinationColumns(destination), createdBy: JSON.stringify(createdBy) },
  );
  const [row] = rows;
  if (row === undefined) throw new Error('an inserted schedule was not returned');
  return scheduleOf(row);
}
