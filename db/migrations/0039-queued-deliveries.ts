import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0039-queued-deliveries';

/**
 * Deliveries join the queue for permits before their workflows are started: a message that waits is a row, and has no open workflow.
 * Whoever releases a permit grants it to the next row and starts that workflow. So a message that queues is not lost to the sweep.
 */
export async function up(knex: Knex): Promise<void> {
  await makeDirectoryFunctions(knex, QUEUE, ['queue_deliveries(text[], integer, interval)']);
  await makeDirectoryFunctions(knex, LOST, ['find_lost_messages(interval, interval, text, integer)']);
}

/**
 * Returns those whose workflows are to be started now. The others wait in the queue, in the given order.
 *
 * Behind others that wait, all queue: it takes no lock and grants nothing. Where the queue has just become empty they wait for the next
 * release, or for \`grant_free_permits\`. Otherwise the first are granted what is free of \`most\`; NULL where another transaction is
 * asking at this moment, and nothing was written. \`most\` NULL: the caller knows no cap. It starts them all, because nobody waits; each
 * asks by itself.
 */
const QUEUE = `
  CREATE FUNCTION queue_deliveries(holders text[], most integer, grant_lease interval) RETURNS text[]
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      of_environment uuid := current_environment_id();
      of_workspace uuid;
      now_at timestamptz := clock_timestamp();
      free integer := 0;
    BEGIN
      SELECT e.workspace_id INTO STRICT of_workspace FROM environments e WHERE e.id = of_environment;
      IF NOT EXISTS (SELECT FROM in_flight_permits p WHERE p.workspace_id = of_workspace AND p.kind = 'delivery' AND NOT p.is_taken) THEN
        IF most IS NULL THEN
          RETURN holders;
        END IF;
        IF NOT pg_try_advisory_xact_lock(hashtextextended('permit/delivery/' || of_workspace, 0)) THEN
          RETURN NULL;
        END IF;
        SELECT greatest(0, most - count(*)) INTO free FROM in_flight_permits p
          WHERE p.workspace_id = of_workspace AND p.kind = 'delivery' AND p.is_taken AND p.expires_at > now_at;
      END IF;
      INSERT INTO in_flight_permits AS p (environment_id, workspace_id, kind, holder, asked_at, is_taken, granted_at, expires_at)
        SELECT of_environment, of_workspace, 'delivery', h.id, now_at + h.place * interval '1 microsecond', h.place <= free,
          CASE WHEN h.place <= free THEN now_at END, CASE WHEN h.place <= free THEN now_at + grant_lease ELSE 'infinity' END
        FROM unnest(holders) WITH ORDINALITY AS h (id, place)
        ON CONFLICT (environment_id, kind, holder) DO NOTHING;
      RETURN COALESCE(holders[1:free], '{}');
    END $$;
`;

/**
 * Messages whose workflow never started, and messages whose attempt is long overdue. Those of flow-control keys have a queue, and a
 * sweep, of their own. Left out are those that wait in the queue for a permit, or were granted one just now: whoever grants starts
 * them, again and again until they come (\`grant_free_permits\`).
 */
const LOST = `
  CREATE FUNCTION find_lost_messages(older_than interval, overdue_by interval, after_id text, most integer)
    RETURNS TABLE (id text, environment_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT m.id, m.environment_id, e.workspace_id FROM messages m JOIN environments e ON e.id = m.environment_id
      WHERE m.id > after_id AND m.id IN (
        SELECT u.id FROM messages u WHERE u.begun_at IS NULL AND u.status IN ('pending', 'scheduled') AND u.created_at < now() - older_than
          AND u.flow_control_key_id IS NULL
        UNION ALL
        SELECT o.id FROM messages o WHERE o.status IN ('pending', 'scheduled', 'processing') AND o.held_at IS NULL
          AND o.next_attempt_at < now() - overdue_by AND o.flow_control_key_id IS NULL)
        AND NOT EXISTS (SELECT FROM in_flight_permits p
          WHERE p.environment_id = m.environment_id AND p.kind = 'delivery' AND p.holder = m.id AND p.expires_at > now())
      ORDER BY m.id LIMIT most;
    END;
`;
