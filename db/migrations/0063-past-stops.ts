import type { Knex } from 'knex';
import { changeRows } from './change-rows.ts';

export const name = '0063-past-stops';

/**
 * When a schedule was paused and when an environment was halted, the last times each: a firing that comes late finds neither any more, and
 * is to make up no slot of them. A pause that lasts has no end; a halt that lasts is `halted_at`, and stands here once it is over.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE schedules ADD COLUMN pauses tstzmultirange NOT NULL DEFAULT '{}';
    ALTER TABLE environments ADD COLUMN halts tstzmultirange NOT NULL DEFAULT '{}';
    GRANT UPDATE (pauses) ON schedules TO service_app;
    GRANT UPDATE (halts) ON environments TO service_app;

    -- Bounded: each firing copies the row, and each halt is looked for in it.
    CREATE FUNCTION with_newest_range(past tstzmultirange, newest tstzrange) RETURNS tstzmultirange LANGUAGE sql IMMUTABLE PARALLEL SAFE
      RETURN (SELECT range_agg(kept.r) FROM (SELECT newest AS r UNION ALL (SELECT r FROM unnest(past) r ORDER BY r DESC LIMIT 19)) kept);
  `);
  // Nobody knows any more when these were paused; no change came later than the last one.
  await changeRows(
    knex,
    ['schedules'],
    'UPDATE schedules SET pauses = tstzmultirange(tstzrange(updated_at, NULL)) WHERE paused AND deleted_at IS NULL',
  );
}
