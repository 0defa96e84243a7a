import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0054-bounded-looks';

/**
 * The sweep looked at every message that queues, each minute: 100,000 that merely wait were as many rows. It now looks at a bounded number,
 * and goes on from there in the next minute. Messages of a flow-control key and held ones have sweeps of their own, and are no
 * longer in the index of what is overdue.
 *
 * The index is built under another name than the old one has, which serves the sweep meanwhile and goes in 0061. Dropping it here would keep
 * everybody from reading messages until the end of the build.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER INDEX messages_overdue RENAME TO messages_overdue_before;
    CREATE INDEX messages_overdue ON messages (next_attempt_at, id) WHERE status IN ('pending', 'scheduled', 'processing')
      AND held_at IS NULL AND flow_control_key_id IS NULL;
    ALTER TABLE installation ADD COLUMN unbegun_looked_to text COLLATE "C" NOT NULL DEFAULT '';
    ALTER TABLE installation ADD COLUMN overdue_looked_to timestamptz NOT NULL DEFAULT '-infinity';
    ALTER TABLE installation ADD COLUMN overdue_looked_to_id text COLLATE "C" NOT NULL DEFAULT '';
    GRANT SELECT (unbegun_looked_to, overdue_looked_to, overdue_looked_to_id), UPDATE (unbegun_looked_to, overdue_looked_to, overdue_looked_to_id)
      ON installation TO service_directory;
    DROP FUNCTION find_lost_messages(interval, interval, text, integer);
  `);
  await makeDirectoryFunctions(knex, LOST, ['find_lost_messages(interval, interval, integer)']);
}

/**
 * Messages whose workflow never started, and messages whose attempt is long overdue. Those of flow-control keys have a queue, and a
 * sweep, of their own. Left out are those that wait in the queue for a permit, or were granted one just now: whoever grants starts
 * them, again and again until they come (\`grant_free_permits\`).
 *
 * Three looks, each at \`most\` messages: at the newest that were not begun, so that what has just been lost is found at once however many
 * wait; at those that were not begun, and at those that are overdue, each from where the last call stopped. A look that reaches the end
 * begins anew. So up to \`most\` messages are all looked at by each call, and w that wait by w / most calls.
 */
const LOST = `
  CREATE FUNCTION find_lost_messages(older_than interval, overdue_by interval, most integer)
    RETURNS TABLE (id text, environment_id uuid, workspace_id uuid)
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
    SET enable_seqscan TO off SET enable_bitmapscan TO off SET enable_sort TO off -- in the order of an index, whatever is known of the table
    BEGIN ATOMIC
      WITH newest AS MATERIALIZED (
        SELECT u.id, u.environment_id FROM messages u
        WHERE u.begun_at IS NULL AND u.status IN ('pending', 'scheduled') AND u.flow_control_key_id IS NULL
          AND u.created_at < now() - older_than
        ORDER BY u.id DESC LIMIT most),
      unbegun AS MATERIALIZED (
        SELECT u.id, u.environment_id FROM messages u
        WHERE u.begun_at IS NULL AND u.status IN ('pending', 'scheduled') AND u.flow_control_key_id IS NULL
          AND u.created_at < now() - older_than AND u.id > (SELECT i.unbegun_looked_to FROM installation i)
        ORDER BY u.id LIMIT most),
      overdue AS MATERIALIZED (
        SELECT o.id, o.environment_id, o.next_attempt_at FROM messages o
        WHERE o.status IN ('pending', 'scheduled', 'processing') AND o.held_at IS NULL AND o.flow_control_key_id IS NULL
          AND o.next_attempt_at < now() - overdue_by
          AND (o.next_attempt_at, o.id) > ((SELECT i.overdue_looked_to FROM installation i), (SELECT i.overdue_looked_to_id FROM installation i))
        ORDER BY o.next_attempt_at, o.id LIMIT most),
      last_overdue AS (
        SELECT o.next_attempt_at, o.id FROM overdue o WHERE (SELECT count(*) FROM overdue) = most
        ORDER BY o.next_attempt_at DESC, o.id DESC LIMIT 1),
      moved AS (
        UPDATE installation SET
          unbegun_looked_to = (SELECT CASE WHEN count(*) = most THEN max(u.id) ELSE '' END FROM unbegun u),
          overdue_looked_to = COALESCE((SELECT l.next_attempt_at FROM last_overdue l), '-infinity'),
          overdue_looked_to_id = COALESCE((SELECT l.id FROM last_overdue l), ''))
      SELECT l.id, l.environment_id, e.workspace_id
      FROM (SELECT n.id, n.environment_id FROM newest n UNION SELECT u.id, u.environment_id FROM unbegun u
            UNION SELECT o.id, o.environment_id FROM overdue o) l
        JOIN environments e ON e.id = l.environment_id
      -- A count is asked for each by the primary key. NOT EXISTS becomes a join, which may read all permits for each.
      WHERE (SELECT count(*) FROM in_flight_permits p
          WHERE p.environment_id = l.environment_id AND p.kind = 'delivery' AND p.holder = l.id AND p.expires_at > now()) = 0
      ORDER BY l.id;
    END;
`;
