import type { EnvironmentTransaction } from '../client.ts';
import { lockSchedule } from './get-schedule.ts';

/**
 * Deletes a schedule as its readers see it. Its row stays without its content, because its runs and messages name it. A run that was
 * queued or waits is skipped: nothing fires it any longer.
 */
export async function deleteSchedule(tx: EnvironmentTransaction, scheduleId: string): Promise<boolean> {
  // In a statement of its own: one that waits for the row sees other tables as they were before, without the run that it waited for.
  if ((await lockSchedule(tx, scheduleId)) === null) return false;
  await tx.raw(
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
