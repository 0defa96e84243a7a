/** Functions of 0021-in-flight-permits: deliveries that nobody has under way, beside those that wait in the queue for a permit. */

/**
 * Messages whose workflow never started, and messages whose attempt is long overdue. Those of flow-control keys have a queue, and a
 * sweep, of their own, and so have those under a pacer. Left out are those that wait in the queue for a permit, or were granted one just now: whoever grants starts
 * them, again and again until they come (`grant_free_permits`).
 *
 * Three looks, each at `most` messages: at the newest that were not begun, so that what has just been lost is found at once however many
 * wait; at those that were not begun, and at those that are overdue, each from where the last call stopped. A look that reaches the end
 * begins anew. So up to `most` messages are all looked at by each call, and w that wait by w / most calls.
 */
export const LOST = `
  GRANT SELECT (unbegun_looked_to, overdue_looked_to, overdue_looked_to_id), UPDATE (unbegun_looked_to, overdue_looked_to, overdue_looked_to_id)
    ON installation TO service_directory;

  CREATE FUNCTION find_lost_messages(older_than interval, overdue_by interval, most integer)
    RETURNS TABLE (id text, environment_id uuid, workspace_id uuid)
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
    SET enable_seqscan TO off SET enable_bitmapscan TO off SET enable_sort TO off -- in the order of an index, whatever is known of the table
    BEGIN ATOMIC
      WITH newest AS MATERIALIZED (
        SELECT u.id, u.environment_id FROM messages u
        WHERE u.begun_at IS NULL AND u.status IN ('pending', 'scheduled') AND u.flow_control_key_id IS NULL AND NOT u.paced
          AND u.created_at < now() - older_than
        ORDER BY u.id DESC LIMIT most),
      unbegun AS MATERIALIZED (
        SELECT u.id, u.environment_id FROM messages u
        WHERE u.begun_at IS NULL AND u.status IN ('pending', 'scheduled') AND u.flow_control_key_id IS NULL AND NOT u.paced
          AND u.created_at < now() - older_than AND u.id > (SELECT i.unbegun_looked_to FROM installation i)
        ORDER BY u.id LIMIT most),
      overdue AS MATERIALIZED (
        SELECT o.id, o.environment_id, o.next_attempt_at FROM messages o
        WHERE o.status IN ('pending', 'scheduled', 'processing') AND o.held_at IS NULL AND o.flow_control_key_id IS NULL AND NOT o.paced
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

/**
 * A message that a halt holds has no workflow: the resumption lets it queue. Where that was lost, the sweep finds its environment: it is
 * halted no more, and has a held message that neither queues for a permit nor has one.
 */
export const HELD = `
  GRANT SELECT (halted_at) ON environments TO service_directory;

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
