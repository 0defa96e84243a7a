import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0058-firings-of-schedules';

/**
 * The schedules of a workspace together fire as often as its plan says, and no oftener. Each row says how often: the firings of an hour in
 * which it fires, which are the seconds that its expression names, times its minutes.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(COUNT);
  await knex.raw(`
    ALTER TABLE schedules ADD COLUMN firings_per_hour integer NOT NULL GENERATED ALWAYS AS (cron_firings_per_hour(cron)) STORED;
    CREATE INDEX schedules_active ON schedules (environment_id) INCLUDE (firings_per_hour) WHERE deleted_at IS NULL AND NOT paused;
    GRANT SELECT (paused, firings_per_hour) ON schedules TO service_directory;
  `);
  await makeDirectoryFunctions(knex, SUM, ['active_firings_per_hour()']);
}

/** Seconds and minutes are numbers: a value, a range, \`*\`, with a step or without, or a list of these. They are checked before. */
const COUNT = `
  CREATE FUNCTION cron_values(field text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT
    RETURN (SELECT count(DISTINCT v)::integer
      FROM regexp_split_to_table(field, ',') part,
        LATERAL (SELECT regexp_match(part, '^(\\*|[0-9]+)(-([0-9]+)){0,1}(/([0-9]+)){0,1}$') AS m) matched,
        LATERAL generate_series(CASE m[1] WHEN '*' THEN 0 ELSE m[1]::integer END,
          CASE m[1] WHEN '*' THEN 59 ELSE COALESCE(m[3], m[1])::integer END, greatest(COALESCE(m[5]::integer, 1), 1)) v);

  CREATE FUNCTION cron_firings_per_hour(cron text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT
    RETURN (SELECT CASE WHEN cardinality(f) = 6 THEN cron_values(f[1]) * cron_values(f[2]) ELSE cron_values(f[1]) END
      -- What no field may hold stands between fields, whichever white space it is.
      FROM string_to_array(btrim(regexp_replace(cron, '[^0-9A-Za-z*,/-]+', ' ', 'g')), ' ') f);
`;

/** Over all environments of the workspace of this transaction: paused and deleted schedules fire nothing. */
const SUM = `
  CREATE FUNCTION active_firings_per_hour() RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT COALESCE(sum(s.firings_per_hour), 0)::bigint FROM environments e JOIN schedules s ON s.environment_id = e.id
      WHERE e.workspace_id = current_workspace_id() AND s.deleted_at IS NULL AND NOT s.paused;
    END;
`;
