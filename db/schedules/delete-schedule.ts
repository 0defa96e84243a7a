import type { EnvironmentTransaction } from '../client.ts';

/**
 * Deletes a schedule for its readers. Its row stays, because its runs and messages name it, without anything that it carried. A run that
 * was queued or waits is skipped: nobody fires it any more.
 */
export async function deleteSchedule(tx: EnvironmentTransaction, scheduleId: string): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `WITH gone AS (UPDATE schedules SET deleted_at = now(), updated_at = now(), revision = revision + 1, due_at = NULL, destination = '{}', headers = NULL,
       body = NULL, body_kind = 'none', body_sealed = false, master_key_version = NULL, wrapped_data_key = NULL, sealed_value = NULL
       WHERE id = ? AND deleted_at IS NULL RETURNING id),
     skipped AS (UPDATE schedule_runs SET outcome = 'skipped', error_code = 'DELETED', error_message = 'The schedule was deleted before this run.',
         fired_at = clock_timestamp()
       WHERE schedule_id = (SELECT id FROM gone) AND outcome IN ('queued', 'waiting'))
     SELECT id FROM gone`,
    [scheduleId],
  );
  return rows.length > 0;
}
