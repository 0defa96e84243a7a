import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0048-held-messages';

/**
 * A message that a halt holds has no workflow: the resumption lets it queue. Where that was lost, the sweep finds its environment: it is
 * halted no more, and has a held message that neither queues for a permit nor has one.
 */
export async function up(knex: Knex): Promise<void> {
  await makeDirectoryFunctions(knex, HELD, ['find_held_environments(interval, text, integer)']);
}

const HELD = `
  CREATE FUNCTION find_held_environments(older_than interval, after_id text, most integer)
    RETURNS TABLE (environment_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT DISTINCT e.id, e.workspace_id FROM messages m JOIN environments e ON e.id = m.environment_id
      WHERE m.held_at < now() - older_than AND e.halted_at IS NULL AND (e.id::text COLLATE "C") > after_id
        AND NOT EXISTS (SELECT FROM in_flight_permits p
          WHERE p.environment_id = m.environment_id AND p.kind = 'delivery' AND p.holder = m.id AND p.expires_at > now())
      ORDER BY e.id LIMIT most;
    END;
`;
