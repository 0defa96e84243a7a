import type { EnvironmentTransaction } from '../client.ts';

/** Deletes a schedule for its readers. Its row stays, because its runs and messages name it, without anything that it carried. */
export async function deleteSchedule(tx: EnvironmentTransaction, scheduleId: string): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `UPDATE schedules SET deleted_at = now(), updated_at = now(), revision = revision + 1, due_at = NULL, destination = '{}', headers = NULL,
       body = NULL, body_kind = 'none', body_sealed = false, master_key_version = NULL, wrapped_data_key = NULL, sealed_value = NULL
     WHERE id = ? AND deleted_at IS NULL RETURNING id`,
    [scheduleId],
  );
  return rows.length > 0;
}
