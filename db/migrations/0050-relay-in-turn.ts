import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0050-relay-in-turn';

/**
 * The relay of platform events looks at every environment that has some, whatever the others have. Before, it looked at the oldest
 * events of all: an environment with more of them than one look takes held up everybody's notifications and alerts.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('DROP FUNCTION find_raised_events(integer)');
  await makeDirectoryFunctions(knex, DIRECTORY, ['find_raised_events(uuid, integer)']);
}

/** It walks from environment to environment by the index, so that it costs the number of environments and not that of events. */
const DIRECTORY = `
  CREATE FUNCTION find_raised_events(after_id uuid, most integer) RETURNS TABLE (environment_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      WITH RECURSIVE walk (id) AS (
        (SELECT r.environment_id FROM raised_events r WHERE r.environment_id > after_id ORDER BY r.environment_id LIMIT 1)
        UNION ALL
        SELECT (SELECT r.environment_id FROM raised_events r WHERE r.environment_id > w.id ORDER BY r.environment_id LIMIT 1)
        FROM walk w WHERE w.id IS NOT NULL)
      SELECT e.id, e.workspace_id FROM walk w JOIN environments e ON e.id = w.id
      WHERE EXISTS (SELECT FROM raised_events r WHERE r.environment_id = w.id AND r.look_again_at <= now())
      ORDER BY e.id LIMIT most;
    END;
`;
