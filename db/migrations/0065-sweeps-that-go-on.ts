import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0065-sweeps-that-go-on';

/**
 * An area of the sweep ends when its time is over, and the next sweep goes on behind the row that it ended with: `sweep_stopped_at` has that
 * row's id by the name of the area. Without it, rows that stay where they are would keep those behind them from every sweep.
 *
 * The sweep started every invocation that is not at rest anew, each minute: 60,000 that merely wait were as many calls of Temporal. It now
 * looks at a bounded number, and goes on from there in the next minute.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE installation ADD COLUMN sweep_stopped_at jsonb NOT NULL DEFAULT '{}';
    GRANT UPDATE (sweep_stopped_at) ON installation TO service_app;
    ALTER TABLE installation ADD COLUMN unsettled_looked_to text COLLATE "C" NOT NULL DEFAULT '';
    GRANT SELECT (unsettled_looked_to), UPDATE (unsettled_looked_to) ON installation TO service_directory;
    DROP FUNCTION find_unsettled_invocations(interval, text, integer);
  `);
  await makeDirectoryFunctions(knex, UNSETTLED, ['find_unsettled_invocations(interval, integer)']);
}

/**
 * Admitted invocations that are not at rest: their workflow may never have started. Left out are those whose effect is read back until its
 * outcome is known: their workflow has ended, and \`find_overdue_reads\` finds the reads that were lost.
 *
 * Two looks, each at \`most\` invocations: at the newest, so that what has just been lost is found at once however many wait; and at all, from
 * where the last call stopped. A look that reaches the end begins anew. So w that wait are looked at by w / most calls.
 */
const UNSETTLED = `
  CREATE FUNCTION find_unsettled_invocations(older_than interval, most integer)
    RETURNS TABLE (id text, environment_id uuid, workspace_id uuid)
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
    SET enable_seqscan TO off SET enable_bitmapscan TO off SET enable_sort TO off -- in the order of an index, whatever is known of the table
    BEGIN ATOMIC
      WITH newest AS MATERIALIZED (
        SELECT u.id, u.environment_id FROM invocations u
        WHERE u.status IN ('queued', 'dispatching') AND u.created_at < now() - older_than
        ORDER BY u.id DESC LIMIT most),
      others AS MATERIALIZED (
        SELECT u.id, u.environment_id FROM invocations u
        WHERE u.status IN ('queued', 'dispatching') AND u.created_at < now() - older_than
          AND u.id > (SELECT i.unsettled_looked_to FROM installation i)
        ORDER BY u.id LIMIT most),
      moved AS (
        UPDATE installation SET unsettled_looked_to = (SELECT CASE WHEN count(*) = most THEN max(o.id) ELSE '' END FROM others o))
      SELECT l.id, l.environment_id, e.workspace_id
      FROM (SELECT n.id, n.environment_id FROM newest n UNION SELECT o.id, o.environment_id FROM others o) l
        JOIN environments e ON e.id = l.environment_id
      -- A count is asked for each by the unique index. NOT EXISTS becomes a join, which may read all effects.
      WHERE (SELECT count(*) FROM effects f WHERE f.invocation_id = l.id AND f.stage = 'reconciling') = 0
      ORDER BY l.id;
    END;
`;
