import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0062-dead-letters-by-their-end';

/**
 * The days of a dead letter count from when its message failed, whichever partition that is in. So far they counted from when the message was
 * accepted, unless it had outlived its range by its failure: the record of a long delayed message went days before its message, or a
 * minute after its failure.
 *
 * The old index goes first: its lock keeps everybody from dead letters until the new one is built, which is short, because they are few. In
 * the other order whoever read them and then writes one would wait for the build, and the drop for them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX dead_letters_by_age;
    CREATE INDEX dead_letters_by_age ON dead_letters (retention, failed_at);
  `);
  await makeDirectoryFunctions(knex, DIRECTORY, ['delete_old_dead_letters(integer)']);
}

const DIRECTORY = `
  -- Deletes a part of the records whose messages have had their time. In the order of an index and by an array of ids, so that no call reads
  -- the table, whatever is known of it: with IN, a plan for any number of ids joins all of it. 0: none is left.
  CREATE OR REPLACE FUNCTION delete_old_dead_letters(most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DECLARE
    kept record;
    deleted integer;
    total integer := 0;
  BEGIN
    FOR kept IN SELECT stored.retention, now() - make_interval(days => k.record_days) AS since
        FROM message_retention_classes() k, LATERAL (VALUES (k.class), ('kept_' || k.class)) stored (retention) LOOP
      DELETE FROM dead_letters d WHERE d.message_id = ANY (ARRAY(
        SELECT o.message_id FROM dead_letters o WHERE o.retention = kept.retention AND o.failed_at < kept.since
        ORDER BY o.failed_at LIMIT most));
      GET DIAGNOSTICS deleted = ROW_COUNT;
      total := total + deleted;
    END LOOP;
    RETURN total;
  END $$;
`;
