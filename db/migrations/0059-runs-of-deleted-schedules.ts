import type { Knex } from 'knex';
import { changeRows } from './change-rows.ts';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0059-runs-of-deleted-schedules';

/**
 * A run of a deleted schedule is skipped, and nobody looks for it: its firing finds no schedule, and would be started again each minute. A
 * deletion that waited for a request to fire the schedule did not see that request's run, so such rows may be there, and so may those of
 * schedules that were deleted before a deletion skipped runs.
 */
export async function up(knex: Knex): Promise<void> {
  await changeRows(
    knex,
    ['schedules', 'schedule_runs'],
    `UPDATE schedule_runs r SET outcome = 'skipped', error_code = 'DELETED', error_message = 'The schedule was deleted before this run.', fired_at = now()
     FROM schedules s WHERE s.id = r.schedule_id AND s.deleted_at IS NOT NULL AND r.outcome IN ('queued', 'waiting')`,
  );
  await makeDirectoryFunctions(knex, DIRECTORY, ['find_unfired_runs(interval, text, integer)']);
}

const DIRECTORY = `
  -- Runs that were queued a while ago, and runs that wait although no message of an earlier run is on its way any more.
  CREATE OR REPLACE FUNCTION find_unfired_runs(older_than interval, after_id text, most integer)
    RETURNS TABLE (id text, schedule_id text, trigger text, nominal_at timestamptz, environment_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT u.id, u.schedule_id, u.trigger, u.nominal_at, u.environment_id, e.workspace_id
      FROM (SELECT (r.schedule_id || '/' || r.trigger || '/' || extract(epoch FROM r.nominal_at)) COLLATE "C" AS id,
            r.schedule_id, r.trigger, r.nominal_at, r.environment_id
          FROM schedule_runs r JOIN schedules s ON s.id = r.schedule_id AND s.deleted_at IS NULL
          WHERE r.fired_at < now() - older_than AND (r.outcome = 'queued' OR r.outcome = 'waiting' AND NOT EXISTS (
            SELECT FROM messages m WHERE m.schedule_id = r.schedule_id AND m.retry_of IS NULL
              AND m.status IN ('pending', 'scheduled', 'processing')))) u
        JOIN environments e ON e.id = u.environment_id
      WHERE u.id > after_id ORDER BY u.id LIMIT most;
    END;
`;
