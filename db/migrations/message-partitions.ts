/**
 * The partitions of messages and of what belongs to them, for 0018-messages and for tables that a later migration adds.
 *
 * A table of messages is partitioned by retention class, and in a class by id. Ids are UUIDv7 in base62 and compare as bytes, so
 * a range of ids is a range of time: old rows go by dropping whole partitions, and a look-up by id probes one index in each class.
 *
 * Partitions are in the schema `partitions`, on which the application has no right: it reaches rows through `public` alone, and so
 * through row-level security. Each class has a DEFAULT partition for ids outside its ranges, so that no insert ever fails for want
 * of a partition. One more partition, `…_kept`, holds what outlives its range: messages that have not ended, or ended late.
 *
 * The life of old rows, each step a transaction of its own that may run again after any crash:
 * 1. `keep_live_messages` moves rows out of ranges that are old: un-ended ones, and those that ended within their time. It moves all
 *    old rows out of the DEFAULT partitions too. A row is in exactly one partition at any time, and every look-up finds it.
 * 2. `drop_old_message_partition` drops a range in which no message is left that is un-ended, or ended within its time. It looks again under
 *    its lock.
 * 3. `delete_kept_messages` deletes, row by row, what was kept and has had its time. These are few.
 * None of the three takes a name or a time, so that the application can use them for nothing else.
 */
export const MESSAGE_PARTITIONS = `
  CREATE SCHEMA partitions;
  GRANT USAGE ON SCHEMA partitions TO service_directory; -- for the ids in DEFAULT partitions

  -- The days of docs/retention.md. Attempts are content.
  CREATE FUNCTION message_retention_classes() RETURNS TABLE (class text, range_days integer, content_days integer, record_days integer)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC VALUES ('week', 1, 3, 7), ('month', 7, 14, 30), ('quarter', 7, 30, 90); END;

  -- What partition_messages has partitioned, the column with the message's id, and whether rows go with the content.
  CREATE TABLE partitions.message_tables (
    name text PRIMARY KEY,
    id_column text NOT NULL,
    goes_with text NOT NULL CHECK (goes_with IN ('content', 'record'))
  );
  GRANT SELECT ON partitions.message_tables TO service_directory;

  -- The smallest id of a message made at this millisecond: 48 bits of it, then 80 zeros, in base62.
  CREATE FUNCTION message_id_floor(at timestamptz) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
  DECLARE
    rest numeric := floor(extract(epoch FROM at) * 1000) * 1208925819614629174706176;
    digits text := '';
  BEGIN
    FOR place IN 1..22 LOOP
      digits := substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', mod(rest, 62)::integer + 1, 1) || digits;
      rest := div(rest, 62);
    END LOOP;
    RETURN 'msg_' || digits;
  END $$;

  -- Gives a partitioned table its classes, and the directory what it needs to keep and to delete rows. Its key contains the id and
  -- the class.
  CREATE PROCEDURE partition_messages(table_name text, id_column text, goes_with text) LANGUAGE plpgsql AS $$
  DECLARE one text;
  BEGIN
    INSERT INTO partitions.message_tables VALUES (table_name, id_column, goes_with);
    FOR one IN SELECT class FROM message_retention_classes() LOOP
      EXECUTE format('CREATE TABLE partitions.%I PARTITION OF %I FOR VALUES IN (%L) PARTITION BY RANGE (%I)',
        table_name || '_' || one, table_name, one, id_column);
      EXECUTE format('CREATE TABLE partitions.%I PARTITION OF partitions.%I DEFAULT',
        table_name || '_' || one || '_default', table_name || '_' || one);
      EXECUTE format('GRANT SELECT (%I) ON partitions.%I TO service_directory', id_column, table_name || '_' || one || '_default');
    END LOOP;
    EXECUTE format('CREATE TABLE partitions.%I PARTITION OF %I FOR VALUES IN (''kept_week'', ''kept_month'', ''kept_quarter'')',
      table_name || '_kept', table_name);
    EXECUTE format('CREATE POLICY directory ON %I FOR SELECT TO service_directory USING (true)', table_name);
    EXECUTE format('CREATE POLICY directory_keep ON %I FOR UPDATE TO service_directory USING (true)
      WITH CHECK (starts_with(retention, ''kept_''))', table_name);
    EXECUTE format('CREATE POLICY directory_retention ON %I FOR DELETE TO service_directory
      USING (starts_with(retention, ''kept_''))', table_name);
    EXECUTE format('GRANT SELECT (%I, retention), UPDATE (retention), DELETE ON %I TO service_directory', id_column, table_name);
  END $$;

  -- Makes the partition name_suffix of a table whose DEFAULT partition is name_default. False where it is there, or where DEFAULT holds rows of
  -- the range. ATTACH locks out the DEFAULT partition alone. CREATE … PARTITION OF would lock out the table.
  CREATE FUNCTION attach_partition(parent regclass, name text, suffix text, key_column text, lower text, upper text) RETURNS boolean
    LANGUAGE plpgsql AS $$
  DECLARE
    leaf text := name || '_' || suffix;
    is_taken boolean;
  BEGIN
    IF to_regclass(format('partitions.%I', leaf)) IS NOT NULL THEN RETURN false; END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM partitions.%1$I WHERE %2$I >= %3$L AND %2$I < %4$L)', name || '_default', key_column, lower, upper)
      INTO is_taken;
    IF is_taken THEN RETURN false; END IF;
    EXECUTE format('CREATE TABLE partitions.%I (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED INCLUDING STORAGE)', leaf, parent);
    EXECUTE format('ALTER TABLE %s ATTACH PARTITION partitions.%I FOR VALUES FROM (%L) TO (%L)', parent, leaf, lower, upper);
    RETURN true;
  END $$;
  REVOKE ALL ON FUNCTION attach_partition(regclass, text, text, text, text, text) FROM PUBLIC;

  -- Makes the range of an instant; for make_message_partitions, and for tests of old ones. False where DEFAULT holds rows of it.
  CREATE FUNCTION make_message_partition(table_name text, id_column text, of_class text, days integer, at timestamptz) RETURNS boolean
    LANGUAGE plpgsql AS $$
  DECLARE
    begins timestamptz := date_bin(make_interval(days => days), at, '2024-01-01T00:00:00Z'); -- a Monday
    lower text := message_id_floor(begins);
    upper text := message_id_floor(begins + make_interval(hours => 24 * days));
    parent text := table_name || '_' || of_class;
  BEGIN
    RETURN attach_partition(to_regclass(format('partitions.%I', parent)), parent, to_char(begins AT TIME ZONE 'UTC', 'YYYYMMDD'), id_column, lower, upper);
  END $$;
  REVOKE ALL ON FUNCTION make_message_partition(text, text, text, integer, timestamptz) FROM PUBLIC;

  -- Makes the ranges of now and of the next three. Where a lock is not to be had, or DEFAULT has just received a row of the range,
  -- that range is left to the next sweep.
  CREATE FUNCTION make_message_partitions() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms' AS $$
  DECLARE
    one record;
    made integer := 0;
  BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtext('message partitions')) THEN RETURN 0; END IF; -- another sweep
    FOR one IN SELECT t.name, t.id_column, c.class, c.range_days, now() + make_interval(days => c.range_days * ahead) AS at
        FROM partitions.message_tables t, message_retention_classes() c, generate_series(0, 3) ahead ORDER BY at, t.name LOOP
      BEGIN
        IF make_message_partition(one.name, one.id_column, one.class, one.range_days, one.at) THEN made := made + 1; END IF;
      EXCEPTION WHEN lock_not_available OR check_violation THEN NULL;
      END;
    END LOOP;
    RETURN made;
  END $$;
  REVOKE ALL ON FUNCTION make_message_partitions() FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION make_message_partitions() TO service_app;

  -- Ranges whose last message is older than it is kept. A day more spares the move of those that were retried into their end.
  CREATE FUNCTION old_message_partitions()
    RETURNS TABLE (table_name text, id_column text, goes_with text, class text, leaf text, lower_id text, upper_id text, kept_since timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT o.name, o.id_column, o.goes_with, o.class, o.leaf, o.bounds[1], o.bounds[2], o.kept_since
      FROM (
        SELECT t.name, t.id_column, t.goes_with, k.class, c.relname::text AS leaf,
          regexp_match(pg_get_expr(c.relpartbound, c.oid), '^FOR VALUES FROM \\(''(\\w+)''\\) TO \\(''(\\w+)''\\)$') AS bounds,
          now() - make_interval(days => CASE t.goes_with WHEN 'content' THEN k.content_days ELSE k.record_days END) AS kept_since
        FROM partitions.message_tables t CROSS JOIN message_retention_classes() k
          JOIN pg_inherits i ON i.inhparent = to_regclass(format('partitions.%I', t.name || '_' || k.class))
          JOIN pg_class c ON c.oid = i.inhrelid) o
      WHERE o.bounds[2] COLLATE "C" <= message_id_floor(o.kept_since - interval '1 day')
      ORDER BY o.goes_with, o.leaf;
    END;
  REVOKE ALL ON FUNCTION old_message_partitions() FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION old_message_partitions() TO service_directory;

  -- Drops one old range in which every message ended and has had its time, and returns its name. DROP locks out the class for an instant;
  -- where that lock is not to be had in time, the range goes with a later sweep. Un-ended messages are looked for again under the lock. A message
  -- that ended since the first look was un-ended then, so the second need not look at times, which no index has.
  CREATE FUNCTION drop_old_message_partition() RETURNS text
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
  REVOKE ALL ON FUNCTION drop_old_message_partition() FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION drop_old_message_partition() TO service_app;
`;

/** For makeDirectoryFunctions. Each call does a part of the work; the sweep calls them until they return 0. */
export const KEEPING = `
  CREATE FUNCTION keep_live_messages(most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DECLARE
    one record;
    ids text[];
    moved integer;
    total integer := 0;
  BEGIN
    -- The lock on the message keeps its attempts out. A locked message is left for the next call.
    FOR one IN SELECT * FROM old_message_partitions() LOOP
      EXECUTE format('SELECT array_agg(id) FROM (
          SELECT m.id FROM messages m WHERE m.id >= $1 AND m.id < $2
            AND (m.status IN (''pending'', ''scheduled'', ''processing'') OR m.updated_at > $3)
            AND EXISTS (SELECT FROM %I r WHERE r.retention = $4 AND r.%I = m.id)
          LIMIT $5 FOR UPDATE OF m SKIP LOCKED) alive', one.table_name, one.id_column)
        INTO ids USING one.lower_id, one.upper_id, one.kept_since, one.class, most;
      CONTINUE WHEN ids IS NULL;
      EXECUTE format('UPDATE %I SET retention = ''kept_'' || retention WHERE retention = $1 AND %I = ANY ($2)',
        one.table_name, one.id_column) USING one.class, ids;
      GET DIAGNOSTICS moved = ROW_COUNT;
      total := total + moved;
    END LOOP;
    -- DEFAULT partitions, a day later: whatever they hold goes on as what was kept.
    FOR one IN SELECT t.name, t.id_column, k.class FROM partitions.message_tables t, message_retention_classes() k LOOP
      EXECUTE format('UPDATE %1$I SET retention = ''kept_'' || retention WHERE retention = $1 AND %2$I IN (
          SELECT %2$I FROM partitions.%3$I WHERE %2$I < $2 LIMIT $3)', one.name, one.id_column, one.name || '_' || one.class || '_default')
        USING one.class, message_id_floor(now() - interval '1 day'), most;
      GET DIAGNOSTICS moved = ROW_COUNT;
      total := total + moved;
    END LOOP;
    RETURN total;
  END $$;

  CREATE FUNCTION delete_kept_messages(most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DECLARE
    one record;
    deleted integer;
    total integer := 0;
  BEGIN
    FOR one IN SELECT t.name, t.id_column, 'kept_' || k.class AS class,
        now() - make_interval(days => CASE t.goes_with WHEN 'content' THEN k.content_days ELSE k.record_days END) AS kept_since
      FROM partitions.message_tables t, message_retention_classes() k ORDER BY t.goes_with LOOP
      EXECUTE format('DELETE FROM %1$I WHERE retention = $1 AND %2$I IN (
          SELECT r.%2$I FROM %1$I r LEFT JOIN messages m ON m.id = r.%2$I WHERE r.retention = $1
            AND (m.id IS NULL OR m.status IN (''delivered'', ''failed'', ''cancelled'') AND m.updated_at < $2) LIMIT $3)',
        one.name, one.id_column) USING one.class, one.kept_since, most;
      GET DIAGNOSTICS deleted = ROW_COUNT;
      total := total + deleted;
    END LOOP;
    RETURN total;
  END $$;
`;
