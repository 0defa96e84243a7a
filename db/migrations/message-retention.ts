/** For 0018-messages: how long messages are kept, and how they go. docs/retention.md. */
export const RETENTION_CLASSES = `
  -- The days of docs/retention.md. Attempts are content.
  CREATE FUNCTION message_retention_classes() RETURNS TABLE (class text, content_days integer, record_days integer)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC VALUES ('week', 3, 7), ('month', 14, 30), ('quarter', 30, 90); END;
`;

export const CONTENT_MARKS = `
  -- How far the contents of a class are deleted, in the order in which its messages ended: no call looks at those again.
  CREATE TABLE message_content_marks (
    retention text PRIMARY KEY,
    ended_at timestamptz(3) NOT NULL DEFAULT '-infinity',
    message_id text COLLATE "C" NOT NULL DEFAULT '' -- many messages may end in one millisecond
  );
  INSERT INTO message_content_marks (retention) SELECT class FROM message_retention_classes();

  CREATE POLICY directory ON messages FOR SELECT TO service_directory USING (true);
  CREATE POLICY directory_retention ON messages FOR DELETE TO service_directory USING (status IN ('delivered', 'failed', 'cancelled'));
  CREATE POLICY directory ON message_contents FOR SELECT TO service_directory USING (true);
  CREATE POLICY directory_retention ON message_contents FOR DELETE TO service_directory USING (true);
  CREATE POLICY directory ON message_attempts FOR SELECT TO service_directory USING (true);
  CREATE POLICY directory_retention ON message_attempts FOR DELETE TO service_directory USING (true);
  GRANT SELECT (id, retention), DELETE ON messages TO service_directory;
  GRANT SELECT (message_id), DELETE ON message_contents, message_attempts TO service_directory;
  GRANT SELECT, UPDATE (ended_at, message_id) ON message_content_marks TO service_directory;
`;

/** For makeDirectoryFunctions. The sweep calls it until it returns 0. */
export const DELETION = `
  -- Deletes of each class the contents and attempts of so many messages, and so many records, those that ended first; each is past its days.
  -- Returns of how many messages. A record takes with it whatever is left of its content. A class that another call is at is left to that one.
  CREATE FUNCTION delete_old_messages(most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    SET enable_seqscan TO off SET enable_bitmapscan TO off SET enable_sort TO off AS $$ -- in the order of an index, whatever is known of the table
  DECLARE
    mark record;
    kept record;
    ids text[];
    last_ended_at timestamptz;
    total integer := 0;
  BEGIN
    FOR mark IN SELECT m.retention, m.ended_at, m.message_id FROM message_content_marks m ORDER BY m.retention FOR UPDATE SKIP LOCKED LOOP
      SELECT k.content_days, k.record_days INTO kept FROM message_retention_classes() k WHERE k.class = mark.retention;

      SELECT array_agg(o.id ORDER BY o.updated_at, o.id), max(o.updated_at) INTO ids, last_ended_at FROM (
        SELECT m.id, m.updated_at FROM messages m
        WHERE m.retention = mark.retention AND m.status IN ('delivered', 'failed', 'cancelled')
          AND (m.updated_at, m.id) > (mark.ended_at, mark.message_id) AND m.updated_at < now() - make_interval(days => kept.content_days)
        ORDER BY m.updated_at, m.id LIMIT most) o;
      IF ids IS NOT NULL THEN
        DELETE FROM message_attempts a WHERE a.message_id = ANY (ids);
        DELETE FROM message_contents c WHERE c.message_id = ANY (ids);
        UPDATE message_content_marks m SET ended_at = last_ended_at, message_id = ids[cardinality(ids)] WHERE m.retention = mark.retention;
        total := total + cardinality(ids);
      END IF;

      ids := ARRAY(
        SELECT m.id FROM messages m
        WHERE m.retention = mark.retention AND m.status IN ('delivered', 'failed', 'cancelled')
          AND m.updated_at < now() - make_interval(days => kept.record_days)
        ORDER BY m.updated_at, m.id LIMIT most);
      IF cardinality(ids) > 0 THEN
        DELETE FROM message_attempts a WHERE a.message_id = ANY (ids);
        DELETE FROM message_contents c WHERE c.message_id = ANY (ids);
        DELETE FROM messages m WHERE m.id = ANY (ids);
        total := total + cardinality(ids);
      END IF;
    END LOOP;
    RETURN total;
  END $$;
`;
