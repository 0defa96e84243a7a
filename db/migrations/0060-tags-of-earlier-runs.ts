import type { Knex } from 'knex';
import { changeRows } from './change-rows.ts';

export const name = '0060-tags-of-earlier-runs';

/** The tags of runs that are older than `0045-run-tags`, whose triggers keep those of younger ones. */
export async function up(knex: Knex): Promise<void> {
  await changeRows(
    knex,
    ['runs', 'run_tags'],
    `INSERT INTO run_tags (environment_id, tag, run_id) SELECT DISTINCT r.environment_id, tag, r.id FROM runs r, unnest(r.tags) AS tag
     ON CONFLICT DO NOTHING`,
  );
}
