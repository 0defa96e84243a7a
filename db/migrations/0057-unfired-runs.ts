import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0057-unfired-runs';

/**
 * A retry of a dead letter is no earlier run: one that is scheduled for next year would hold up a schedule until then. Runs of deleted
 * schedules are left to `0059-runs-of-deleted-schedules`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP FUNCTION find_unfired_runs(interval, text, integer);
    GRANT SELECT (retry_of) ON messages TO service_directory`);
  await makeDirectoryFunctions(knex, DIRECTORY, ['find_unfired_runs(interval, text, integer)']);
}

const DIRECTORY = `
  -- Runs that were queued a while ago, and runs that wait although no message of an earlier run is on its way any more.
  CREATE FUNCTION find_unfired_runs(older_than interval, after_id text, most integer)
    RETURNS TABLE (id text, schedule_id text, trigger text, nominal_at timestamptz, environment_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT u.id, u.schedule_id, u.trigger, u.nominal_at, u.environment_id, e.workspace_id
      FROM (SELECT (r.schedule_id || '/' || r.trigger || '/' || extract(epoch FROM r.nominal_at)) COLLATE "C" AS id,
            r.schedule_id, r.trigger, r.nominal_at, r.environment_id
          FROM schedule_runs r
          WHERE r.fired_at < now() - older_than AND (r.outcome = 'queued' OR r.outcome = 'waiting' AND NOT EXISTS (
            SELECT FROM messages m WHERE m.schedule_id = r.schedule_id AND m.retry_of IS NULL
              AND m.status IN ('pending', 'scheduled', 'processing')))) u
        JOIN environments e ON e.id = u.environment_id
      WHERE u.id > after_id ORDER BY u.id LIMIT most;
    END;
`;
