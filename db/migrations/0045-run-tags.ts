import type { Knex } from 'knex';

export const name = '0045-run-tags';

/**
 * Runs by their tags, as rows of their own. An index over the array served no filter: under row-level security a condition whose operator may
 * show what it compares (`@>` of arrays may) is checked row by row, behind the policy. `=` of texts shows nothing, and is an index condition.
 *
 * A trigger keeps the rows in the transactions that write the run; `0060-tags-of-earlier-runs` writes those of earlier ones. The table is
 * partitioned as runs are, and its partitions go with theirs.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(TABLE);
  await knex.raw(PARTITIONS);
  await knex.raw(TRIGGER);
  await knex.raw('DROP INDEX runs_by_tag');
}

const TABLE = `
  CREATE TABLE run_tags (
    environment_id uuid NOT NULL REFERENCES environments,
    tag text NOT NULL,
    run_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (environment_id, tag, run_id)
  ) PARTITION BY RANGE (run_id);
  CALL make_tenant_table('run_tags', 'SELECT, INSERT, DELETE');
  CREATE POLICY directory ON run_tags TO service_directory USING (true);
  GRANT SELECT, DELETE ON run_tags TO service_directory; -- delete_runs_outside_of_ranges deletes runs

  DO $$
  DECLARE leaf record;
  BEGIN
    FOR leaf IN SELECT c.relname::text AS name, pg_get_expr(c.relpartbound, c.oid) AS bound
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'runs'::regclass LOOP
      EXECUTE format('CREATE TABLE partitions.%I PARTITION OF run_tags %s', replace(leaf.name, 'runs_', 'run_tags_'), leaf.bound);
    END LOOP;
  END $$;
`;

/** As of 0033-runs, of three tables. */
const PARTITIONS = `
  CREATE OR REPLACE FUNCTION make_run_partition(at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    begins timestamptz := date_bin('7 days', at, '2024-01-01T00:00:00Z'); -- a Monday
    lower text := run_id_floor(begins);
    upper text := run_id_floor(begins + interval '168 hours');
    suffix text := '_' || to_char(begins AT TIME ZONE 'UTC', 'YYYYMMDD');
    is_taken boolean;
    one record;
  BEGIN
    IF to_regclass(format('partitions.%I', 'runs' || suffix)) IS NOT NULL THEN RETURN false; END IF;
    SELECT EXISTS (SELECT FROM partitions.runs_default WHERE id >= lower AND id < upper)
      OR EXISTS (SELECT FROM partitions.spans_default WHERE run_id >= lower AND run_id < upper)
      OR EXISTS (SELECT FROM partitions.run_tags_default WHERE run_id >= lower AND run_id < upper) INTO is_taken;
    IF is_taken THEN RETURN false; END IF;
    FOR one IN SELECT unnest(ARRAY['runs', 'spans', 'run_tags']) AS name LOOP
      -- ATTACH locks out the DEFAULT partition alone. CREATE … PARTITION OF would lock out the table.
      EXECUTE format('CREATE TABLE partitions.%I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)', one.name || suffix, one.name);
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION partitions.%I FOR VALUES FROM (%L) TO (%L)', one.name, one.name || suffix, lower, upper);
    END LOOP;
    RETURN true;
  END $$;

  -- Drops one range whose newest run is older than it is kept, of the three tables, and returns its name.
  CREATE OR REPLACE FUNCTION drop_old_run_partition() RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms' AS $$
  DECLARE leaf text;
  BEGIN
    FOR leaf IN SELECT o.leaf FROM (
        SELECT c.relname::text AS leaf, (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \\(''(\\w+)''\\)$'))[1] AS upper_id
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'runs'::regclass) o
      WHERE o.upper_id COLLATE "C" <= run_id_floor(runs_kept_since()) ORDER BY o.leaf LOOP
      BEGIN
        EXECUTE format('DROP TABLE partitions.%I, partitions.%I, partitions.%I', replace(leaf, 'runs_', 'spans_'),
          replace(leaf, 'runs_', 'run_tags_'), leaf);
        RETURN leaf;
      EXCEPTION WHEN lock_not_available OR deadlock_detected THEN NULL;
      END;
    END LOOP;
    RETURN NULL;
  END $$;
`;

const TRIGGER = `
  CREATE FUNCTION keep_run_tags() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP <> 'INSERT' THEN
      DELETE FROM run_tags t WHERE t.environment_id = OLD.environment_id AND t.tag = ANY (OLD.tags) AND t.run_id = OLD.id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
      INSERT INTO run_tags (environment_id, tag, run_id) SELECT DISTINCT NEW.environment_id, tag, NEW.id FROM unnest(NEW.tags) AS tag;
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER keep_tags AFTER INSERT ON runs FOR EACH ROW WHEN (cardinality(NEW.tags) > 0) EXECUTE FUNCTION keep_run_tags();
  CREATE TRIGGER move_tags AFTER UPDATE OF tags ON runs FOR EACH ROW WHEN (OLD.tags IS DISTINCT FROM NEW.tags) EXECUTE FUNCTION keep_run_tags();
  CREATE TRIGGER remove_tags AFTER DELETE ON runs FOR EACH ROW WHEN (cardinality(OLD.tags) > 0) EXECUTE FUNCTION keep_run_tags();
`;
