import type { Knex } from 'knex';

export const name = '0046-ranges-in-their-time';

/**
 * A range of messages is dropped only where none of its messages ended within its time, whether or not `keep_live_messages` ran
 * before: so far the drop relied on it for these. Un-ended messages are looked for again under the lock. A message that ended since
 * the first look was un-ended then, so the second need not look at times, which no index has.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE OR REPLACE FUNCTION drop_old_message_partition() RETURNS text
      LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms' AS $$
    DECLARE
      one record;
      is_needed boolean;
      look text;
      unended text := 'm.status IN (''pending'', ''scheduled'', ''processing'')';
    BEGIN
      FOR one IN SELECT * FROM old_message_partitions() LOOP
        look := format('SELECT EXISTS (SELECT FROM partitions.%I r JOIN partitions.%I m ON m.id = r.%I
            WHERE m.id >= %L AND m.id < %L AND (#)) OR EXISTS (
            SELECT FROM partitions.%1$I r JOIN partitions.messages_kept m ON m.id = r.%3$I WHERE #)',
          one.leaf, 'messages_' || one.class, one.id_column, one.lower_id, one.upper_id);
        EXECUTE replace(look, '#', format('%s OR m.updated_at > %L', unended, one.kept_since)) INTO is_needed;
        CONTINUE WHEN is_needed;
        BEGIN
          EXECUTE format('LOCK TABLE partitions.%I IN ACCESS EXCLUSIVE MODE', one.leaf);
          EXECUTE replace(look, '#', unended) INTO is_needed;
          CONTINUE WHEN is_needed;
          EXECUTE format('DROP TABLE partitions.%I', one.leaf);
          RETURN one.leaf;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN NULL;
        END;
      END LOOP;
      RETURN NULL;
    END $$;
  `);
}
