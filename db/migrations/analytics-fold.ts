import { ANALYTICS_KINDS, DIMENSIONS_MAX, OPEN_DIMENSIONS, OTHER } from '../../domain/analytics/kinds.ts';

/** For makeDirectoryFunctions, of 0041-analytics: what makes rollups of facts. */
const kindsWith = (dimension: 'd2' | 'd3'): string =>
  ANALYTICS_KINDS.filter((kind) => (OPEN_DIMENSIONS[kind] as readonly string[]).includes(dimension))
    .map((kind) => `'${kind}'`)
    .join(', ');

const withOpenAs = (name: string, open: string): string => `
  CREATE FUNCTION ${name}(kind text, dimension integer, value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN dimension = 2 AND kind IN (${kindsWith('d2')}) THEN '${open}'
      WHEN dimension = 3 AND kind IN (${kindsWith('d3')}) THEN '${open}' ELSE value END;
`;

export const CAPPED = `
  -- A dimension as it is counted beyond the cap: the open ones become one.${withOpenAs('analytics_capped', OTHER)}
  -- A dimension as it is counted in a total: the open ones are left out.${withOpenAs('analytics_total', '')}

  -- Which of these (d1, d2, d3) of an environment, kind and UTC day are beyond the cap. Rows of analytics_days stay, so that what was
  -- counted under another name is corrected under it.
  CREATE FUNCTION analytics_beyond_cap(environments uuid[], kinds text[], days date[], d1s text[], d2s text[], d3s text[])
    RETURNS TABLE (environment_id uuid, kind text, day date, d1 text, d2 text, d3 text) LANGUAGE sql STABLE
    BEGIN ATOMIC
      WITH given AS (SELECT * FROM unnest(environments, kinds, days, d1s, d2s, d3s) g (environment_id, kind, day, d1, d2, d3)),
      fresh AS (SELECT g.*, row_number() OVER (PARTITION BY g.environment_id, g.kind, g.day ORDER BY g.d1, g.d2, g.d3) AS place
        FROM given g WHERE NOT EXISTS (SELECT FROM analytics_days y WHERE y.environment_id = g.environment_id AND y.kind = g.kind AND NOT y.is_total
          AND y.day = g.day AND y.d1 = g.d1 AND y.d2 = g.d2 AND y.d3 = g.d3)),
      groups AS (SELECT f.environment_id, f.kind, f.day, (SELECT count(*) FROM analytics_days y WHERE y.environment_id = f.environment_id
          AND y.kind = f.kind AND NOT y.is_total AND y.day = f.day) AS held FROM fresh f GROUP BY 1, 2, 3)
      SELECT f.environment_id, f.kind, f.day, f.d1, f.d2, f.d3
      FROM fresh f JOIN groups s ON s.environment_id = f.environment_id AND s.kind = f.kind AND s.day = f.day
      WHERE s.held + f.place > ${DIMENSIONS_MAX};
    END;
`;

export const HISTOGRAM_TEXT = `
  -- The buckets, a semicolon, the count of each. Texts that are joined by semicolons are the sum.
  CREATE FUNCTION analytics_histogram_text(buckets smallint[], counts bigint[]) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
    BEGIN
      RETURN array_to_string(buckets, ',') || ';' || array_to_string(counts, ',');
    END $$;
`;

export const HISTOGRAM_SUM = `
  -- The sum of two histograms. A bucket without a count is left out, so that equal histograms are equal arrays.
  CREATE FUNCTION analytics_histogram_sum(buckets smallint[], counts bigint[], more_buckets smallint[], more_counts bigint[],
      OUT sum_buckets smallint[], OUT sum_counts bigint[]) LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
      SELECT array_agg(s.bucket ORDER BY s.bucket), array_agg(s.n ORDER BY s.bucket) FROM (
        SELECT h.bucket, CAST(sum(h.n) AS bigint) AS n FROM (
          SELECT unnest(buckets) AS bucket, unnest(counts) AS n UNION ALL SELECT unnest(more_buckets), unnest(more_counts)) h
        GROUP BY h.bucket HAVING sum(h.n) <> 0) s;
    END;
`;

const SUMS = `n = r.n + EXCLUDED.n, s1 = r.s1 + EXCLUDED.s1, s2 = r.s2 + EXCLUDED.s2,
        (buckets, counts) = (SELECT * FROM analytics_histogram_sum(r.buckets, r.counts, EXCLUDED.buckets, EXCLUDED.counts))`;
const SEEN = `first_at = least(r.first_at, EXCLUDED.first_at), last_at = greatest(r.last_at, EXCLUDED.last_at),
        samples = (EXCLUDED.samples || r.samples)[1:5]`;
const COUNTED = 'WHERE b.bucket IS NOT NULL AND b.n <> 0';

const sumInto = (table: string, time: string): string => `
      INSERT INTO ${table} AS r (environment_id, kind, is_total, ${time}, d1, d2, d3, n, s1, s2, first_at, last_at, samples, buckets, counts)
      SELECT b.environment_id, b.kind, b.is_total, b.${time}, b.d1, b.d2, b.d3, sum(b.n), sum(b.s1), sum(b.s2), min(b.first_at), max(b.last_at),
        (string_to_array(string_agg(b.samples, ' '), ' '))[1:5],
        array_agg(b.bucket ORDER BY b.bucket) FILTER (${COUNTED}), array_agg(b.n ORDER BY b.bucket) FILTER (${COUNTED})
      FROM (
        SELECT f.environment_id, f.kind, f.is_total, f.${time}, f.d1, f.d2, f.d3, f.bucket, sum(f.n) AS n, sum(f.s1) AS s1, sum(f.s2) AS s2,
          min(f.first_at) AS first_at, max(f.last_at) AS last_at, string_agg(array_to_string(f.samples, ' '), ' ') AS samples
        FROM levels f GROUP BY 1, 2, 3, 4, 5, 6, 7, 8) b
      GROUP BY 1, 2, 3, 4, 5, 6, 7
      ON CONFLICT (environment_id, kind, is_total, ${time}, d1, d2, d3) DO UPDATE SET ${SUMS}, ${SEEN} RETURNING 1`;

/** What of the facts counts for the whole installation, under a name with few values. Facts that take back are left out: a count only grows. */
const INSTALLATION_COUNTS = `
        SELECT jsonb_object_agg(c.name, c.n) FROM (
          SELECT CASE g.kind
              WHEN 'invocations.ended' THEN 'invocations_total/' || split_part(g.d1, ':', 1)
              WHEN 'effects.graded' THEN 'effects_total/' || g.d1
              WHEN 'unknowns.opened' THEN 'unknowns_opened_total/'
              WHEN 'unknowns.resolved' THEN 'unknowns_resolved_total/' || g.d1
              WHEN 'approvals.decided' THEN 'approvals_decided_total/' || g.d1
              WHEN 'messages.ended' THEN 'messages_total/' || g.d1
              ELSE 'delivery_attempts_total/' || CASE WHEN g.d1 ~ '^[1-5][0-9][0-9]$' THEN left(g.d1, 1) || 'xx' ELSE g.d1 END
            END AS name, sum(g.n) AS n
          FROM gone g
          WHERE g.n > 0 AND g.kind IN ('invocations.ended', 'effects.graded', 'unknowns.opened', 'unknowns.resolved', 'approvals.decided',
            'messages.ended', 'delivery.attempts')
          GROUP BY 1) c`;

export const FOLD = `
  -- Adds so many facts to the rollups and deletes them, in one transaction. Returns how many; 0: none is left, or another one folds. One at a
  -- time: what another one has locked would seem to be none.
  CREATE FUNCTION fold_analytics_facts(most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      looked_at timestamptz;
      folded integer;
      counted jsonb;
    BEGIN
      IF NOT pg_try_advisory_xact_lock(hashtext('analytics fold')) THEN RETURN 0; END IF;
      looked_at := clock_timestamp(); -- the next statement sees all that was committed by then
      WITH gone AS MATERIALIZED (
        DELETE FROM analytics_facts WHERE ctid = ANY (ARRAY(SELECT f.ctid FROM analytics_facts f LIMIT most)) RETURNING *),
      dated AS MATERIALIZED (SELECT g.*, (g.quarter AT TIME ZONE 'UTC')::date AS day FROM gone g),
      names AS (SELECT array_agg(t.environment_id) AS e, array_agg(t.kind) AS k, array_agg(t.day) AS y, array_agg(t.d1) AS d1, array_agg(t.d2) AS d2,
        array_agg(t.d3) AS d3 FROM (SELECT DISTINCT environment_id, kind, day, d1, d2, d3 FROM dated) t),
      beyond AS MATERIALIZED (SELECT b.* FROM names, analytics_beyond_cap(names.e, names.k, names.y, names.d1, names.d2, names.d3) b),
      facts AS MATERIALIZED (SELECT f.environment_id, f.kind, f.quarter, f.day, f.d1, f.bucket, f.n, f.s1, f.s2, f.first_at, f.last_at, f.samples,
          CASE WHEN b.kind IS NULL THEN f.d2 ELSE analytics_capped(f.kind, 2, f.d2) END AS d2,
          CASE WHEN b.kind IS NULL THEN f.d3 ELSE analytics_capped(f.kind, 3, f.d3) END AS d3
        FROM dated f LEFT JOIN beyond b ON b.environment_id = f.environment_id AND b.kind = f.kind AND b.day = f.day AND b.d1 = f.d1
          AND b.d2 = f.d2 AND b.d3 = f.d3),
      levels AS MATERIALIZED (SELECT false AS is_total, f.* FROM facts f
        UNION ALL SELECT true, f.environment_id, f.kind, f.quarter, f.day, f.d1, f.bucket, f.n, f.s1, f.s2, f.first_at, f.last_at, NULL,
          analytics_total(f.kind, 2, f.d2), analytics_total(f.kind, 3, f.d3) FROM facts f),
      rollups AS (${sumInto('analytics_rollups', 'quarter')}),
      days AS (${sumInto('analytics_days', 'day')})
      SELECT count(*), (${INSTALLATION_COUNTS}) INTO folded, counted FROM gone;
      IF folded < most OR counted IS NOT NULL THEN
        UPDATE installation SET
          analytics_complete_until = CASE WHEN folded < most THEN greatest(analytics_complete_until, looked_at) ELSE analytics_complete_until END,
          counted_facts = (SELECT COALESCE(jsonb_object_agg(s.key, s.n), '{}') FROM (
            SELECT e.key, sum(CAST(e.value AS bigint)) AS n
            FROM (SELECT * FROM jsonb_each_text(counted_facts) UNION ALL SELECT * FROM jsonb_each_text(counted)) e GROUP BY e.key) s);
      END IF;
      RETURN folded;
    END $$;
`;

/** Rollups are of one month each, in UTC. Rows outside of any range stand in DEFAULT. */
export const PARTITIONS = `
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

  CREATE FUNCTION analytics_tables() RETURNS TABLE (name text, column_name text) LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC VALUES ('analytics_rollups', 'quarter'), ('analytics_days', 'day'); END;

  -- Makes the range of an instant of one table; for make_analytics_partitions, and for tests of old ones. False: it is there, or DEFAULT holds rows of it.
  CREATE FUNCTION make_analytics_partition(table_name text, at timestamptz) RETURNS boolean LANGUAGE plpgsql SET timezone = 'UTC' AS $$
  DECLARE
    begins timestamp := date_trunc('month', at AT TIME ZONE 'UTC');
    time_column text := (SELECT t.column_name FROM analytics_tables() t WHERE t.name = table_name);
  BEGIN
    RETURN attach_partition(to_regclass(format('%I', table_name)), table_name, to_char(begins, 'YYYYMM'), time_column,
      to_char(begins, 'YYYY-MM-DD'), to_char(begins + interval '1 month', 'YYYY-MM-DD'));
  END $$;
  REVOKE ALL ON FUNCTION make_analytics_partition(text, timestamptz) FROM PUBLIC;

  -- Makes the ranges of this month and of the next two.
  CREATE FUNCTION make_analytics_partitions() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms' AS $$
  DECLARE
    one record;
    made integer := 0;
  BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtext('analytics partitions')) THEN RETURN 0; END IF; -- another sweep
    FOR one IN SELECT t.name, date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + make_interval(days => 32 * ahead) AS at
        FROM analytics_tables() t, generate_series(0, 2) ahead LOOP
      BEGIN
        IF make_analytics_partition(one.name, one.at) THEN made := made + 1; END IF;
      EXCEPTION WHEN lock_not_available OR check_violation THEN NULL;
      END;
    END LOOP;
    RETURN made;
  END $$;
  REVOKE ALL ON FUNCTION make_analytics_partitions() FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION make_analytics_partitions() TO service_app;

  -- Drops one range that ended 400 days ago, and returns its name, or null when none is left. Old rows in DEFAULT, of runs that told an old time, go with it.
  CREATE FUNCTION drop_old_analytics_partition() RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms' AS $$
  DECLARE leaf text;
  BEGIN
    FOR leaf IN SELECT c.relname FROM analytics_tables() t JOIN pg_inherits i ON i.inhparent = to_regclass(t.name) JOIN pg_class c ON c.oid = i.inhrelid
      WHERE c.relname ~ '_[0-9]{6}$' AND to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month' <= (now() AT TIME ZONE 'UTC') - interval '400 days'
      ORDER BY c.relname LOOP
      BEGIN
        EXECUTE format('DROP TABLE partitions.%I', leaf);
        RETURN leaf;
      EXCEPTION WHEN lock_not_available OR deadlock_detected THEN NULL;
      END;
    END LOOP;
    RETURN NULL;
  END $$;
  REVOKE ALL ON FUNCTION drop_old_analytics_partition() FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION drop_old_analytics_partition() TO service_app;
`;

const KEY = 'environment_id, kind, is_total';
const DIMENSIONS = 'd1, d2, d3';
const SUMMED = ['n', 's1', 's2'];

/** Makes the rows of a table of an environment what others sum to. What should not be there becomes zero. */
const mending = (table: string, time: 'quarter' | 'day', from: string): string => {
  const key = `${KEY}, ${time}, ${DIMENSIONS}`;
  const of = (row: string): string => SUMMED.map((name) => `COALESCE(${row}.${name}, 0)`).join(', ');
  return `
      WITH rows AS (${from}),
      sums AS (SELECT ${key}, ${SUMMED.map((name) => `sum(${name}) AS ${name}`).join(', ')} FROM rows GROUP BY ${key}),
      counted AS (SELECT ${key}, bucket, CAST(sum(n) AS bigint) AS n FROM (SELECT ${key}, unnest(buckets) AS bucket, unnest(counts) AS n FROM rows) c
        GROUP BY ${key}, bucket HAVING sum(n) <> 0),
      histograms AS (SELECT ${key}, array_agg(bucket ORDER BY bucket) AS buckets, array_agg(n ORDER BY bucket) AS counts FROM counted GROUP BY ${key})
      INSERT INTO ${table} AS r (${key}, ${SUMMED.join(', ')}, buckets, counts)
      SELECT ${key}, ${of('q')}, q.buckets, q.counts
      FROM (SELECT * FROM sums LEFT JOIN histograms USING (${key})) q
        FULL JOIN (SELECT * FROM ${table} WHERE environment_id = of_environment${time === 'quarter' ? ' AND is_total' : ''}) y USING (${key})
      WHERE (${of('q')}, q.buckets, q.counts) IS DISTINCT FROM (${of('y')}, y.buckets, y.counts)
      ON CONFLICT (${key}) DO UPDATE SET ${[...SUMMED, 'buckets', 'counts'].map((name) => `${name} = EXCLUDED.${name}`).join(', ')};
      GET DIAGNOSTICS mended = ROW_COUNT;
      total := total + mended;`;
};

const TOTALS = `SELECT environment_id, kind, true AS is_total, quarter, d1, analytics_total(kind, 2, d2) AS d2, analytics_total(kind, 3, d3) AS d3, n, s1, s2,
          buckets, counts FROM analytics_rollups WHERE environment_id = of_environment AND NOT is_total`;
const DAYS = `SELECT *, (quarter AT TIME ZONE 'UTC')::date AS day FROM analytics_rollups WHERE environment_id = of_environment`;

export const VERIFICATION = `
  -- True once a UTC day: who gets it compares a sample.
  CREATE FUNCTION claim_analytics_verification() RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    BEGIN
      UPDATE installation SET analytics_verified_on = (now() AT TIME ZONE 'UTC')::date
        WHERE analytics_verified_on < (now() AT TIME ZONE 'UTC')::date;
      RETURN FOUND;
    END $$;

  -- Makes the totals of an environment, and its days, what their quarters sum to. Returns how many rows changed. No fold runs meanwhile.
  CREATE FUNCTION mend_analytics_sums(of_environment uuid) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      mended integer;
      total integer := 0;
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('analytics fold'));${mending('analytics_rollups', 'quarter', TOTALS)}${mending('analytics_days', 'day', DAYS)}
      RETURN total;
    END $$;
`;
