import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0039-stored-state';

/**
 * What runs with their spans, sessions with their messages, and cached answers take of a workspace's storage.
 *
 * Triggers count each statement, so that no path can forget it: a change is one more row of `stored_state`, and what is used is their sum. So no
 * writer waits for another one, and none holds a lock that an other one needs. The sweep makes one row of those of a part.
 *
 * A part is `sessions`, `cache`, or a week of runs: the range of a week is dropped as a whole, which no trigger sees, and what it took
 * is given back with its part.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(STORED_STATE);
  for (const table of COUNTED) await knex.raw(countingOf(table));
  await makeDirectoryFunctions(knex, DIRECTORY, ['fold_stored_state(integer)', 'forget_stored_weeks()']);
}

const STORED_STATE = `
  CREATE TABLE stored_state (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    workspace_id uuid NOT NULL REFERENCES workspaces,
    part text COLLATE "C" NOT NULL,
    bytes bigint NOT NULL -- a change, or the sum of earlier ones
  );
  CREATE INDEX stored_state_by_part ON stored_state (workspace_id, part) INCLUDE (bytes);
  ALTER TABLE stored_state ENABLE ROW LEVEL SECURITY;
  ALTER TABLE stored_state FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON stored_state USING (workspace_id = current_workspace_id())
    WITH CHECK (workspace_id = current_workspace_id());
  CREATE POLICY directory ON stored_state TO service_directory USING (true) WITH CHECK (true);
  GRANT SELECT, INSERT ON stored_state TO service_app;
  GRANT SELECT, INSERT, DELETE ON stored_state TO service_directory;

  -- The week of a run, by its id: the one that make_run_partition has a range for. An id is a UUIDv7, in 22 digits of base 62.
  CREATE FUNCTION stored_week(run_id text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
  DECLARE
    value numeric := 0;
  BEGIN
    FOR place IN 5..26 LOOP
      value := value * 62 + strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', substr(run_id, place, 1)) - 1;
    END LOOP;
    value := least(greatest(div(value, 1208925819614629174706176), 0), 253402300799999);
    RETURN 'runs_' || to_char(date_bin('7 days', to_timestamp(value / 1000), '2024-01-01T00:00:00Z') AT TIME ZONE 'UTC', 'YYYYMMDD');
  END $$;
`;

interface Counted {
  table: string;
  /** SQL over a row: the key by which rows are summed up, and the part of a key. */
  key: string;
  part: string;
}

const COUNTED: readonly Counted[] = [
  { table: 'runs', key: 'id', part: 'stored_week(key)' },
  { table: 'spans', key: 'run_id', part: 'stored_week(key)' },
  { table: 'sessions', key: "'sessions'", part: 'key' },
  { table: 'session_messages', key: "'sessions'", part: 'key' },
  { table: 'cache_entries', key: "'cache'", part: 'key' },
];

/** A statement of many rows is counted once. An update that changes no size leaves no row. */
function countingOf({ table, key, part }: Counted): string {
  const summed = (rows: string, sign: string): string =>
    `SELECT environment_id, ${key} AS key, ${sign}sum(stored_bytes) AS bytes FROM ${rows} GROUP BY 1, 2`;
  const add = (changes: string): string => `
      INSERT INTO stored_state (workspace_id, part, bytes)
        SELECT e.workspace_id, ${part}, sum(c.bytes) FROM (${changes}) c JOIN environments e ON e.id = c.environment_id
        GROUP BY 1, 2 HAVING sum(c.bytes) <> 0;`;
  const counts = `count_stored_${table}`;
  return `
  CREATE FUNCTION ${counts}() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN${add(summed('added', ''))}
    ELSIF TG_OP = 'DELETE' THEN${add(summed('removed', '-'))}
    ELSE${add(`${summed('added', '')} UNION ALL ${summed('removed', '-')}`)}
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER count_added AFTER INSERT ON ${table} REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ${counts}();
  CREATE TRIGGER count_removed AFTER DELETE ON ${table} REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION ${counts}();
  CREATE TRIGGER count_changed AFTER UPDATE ON ${table} REFERENCING NEW TABLE AS added OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION ${counts}();
`;
}

const DIRECTORY = `
  -- Makes one row of the rows of a part, of so many parts. Returns how many rows went; 0: there is nothing to do.
  CREATE FUNCTION fold_stored_state(most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      folded integer;
    BEGIN
      -- Alone: what is folded while a week is forgotten would be kept.
      IF NOT pg_try_advisory_xact_lock(hashtext('stored state')) THEN RETURN 0; END IF;
      WITH many AS (SELECT s.workspace_id, s.part FROM stored_state s GROUP BY 1, 2 HAVING count(*) > 1 OR sum(s.bytes) = 0 LIMIT most),
      gone AS (DELETE FROM stored_state s USING many WHERE s.workspace_id = many.workspace_id AND s.part = many.part RETURNING s.*),
      kept AS (INSERT INTO stored_state (workspace_id, part, bytes)
        SELECT gone.workspace_id, gone.part, sum(gone.bytes) FROM gone GROUP BY 1, 2 HAVING sum(gone.bytes) <> 0 RETURNING id)
      SELECT (SELECT count(*) FROM gone) INTO folded;
      RETURN folded;
    END $$;

  -- Gives back what weeks of runs took whose range was dropped. Rows in a DEFAULT partition give back their own.
  CREATE FUNCTION forget_stored_weeks() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      forgotten integer := 0;
      deleted integer;
      week text;
      begins timestamptz;
    BEGIN
      IF NOT pg_try_advisory_xact_lock(hashtext('stored state')) THEN RETURN 0; END IF;
      FOR week IN SELECT DISTINCT s.part FROM stored_state s WHERE starts_with(s.part, 'runs_') LOOP
        begins := to_timestamp(substr(week, 6) || ' 00:00:00+00', 'YYYYMMDD HH24:MI:SSTZH');
        CONTINUE WHEN begins + interval '168 hours' > runs_kept_since()
          OR EXISTS (SELECT FROM runs r WHERE r.id >= run_id_floor(begins) AND r.id < run_id_floor(begins + interval '168 hours'))
          OR EXISTS (SELECT FROM spans s WHERE s.run_id >= run_id_floor(begins) AND s.run_id < run_id_floor(begins + interval '168 hours'));
        DELETE FROM stored_state s WHERE s.part = week;
        GET DIAGNOSTICS deleted = ROW_COUNT;
        forgotten := forgotten + deleted;
      END LOOP;
      RETURN forgotten;
    END $$;
`;
