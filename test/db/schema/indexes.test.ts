import { expect, test } from 'vitest';
import { createTestDatabase } from '../../harness/database.ts';

/** Indexes without which a look grows with everything that was ever stored. */

const database = await createTestDatabase();

/** PostgreSQL looks for rows that refer to each deleted row. An index serves that look if its predicate, if any, asks for no more than a reference. */
const UNINDEXED = `
  SELECT k.conname AS name FROM pg_constraint k
    JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
  WHERE k.contype = 'f' AND k.conparentid = 0 AND k.connamespace = 'public'::regnamespace
    AND (has_table_privilege('service_app', k.confrelid, 'DELETE') OR has_table_privilege('service_directory', k.confrelid, 'DELETE'))
    AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = k.conrelid
      AND ((i.indisunique AND i.indnkeyatts = 1 AND i.indkey[0] = ANY (k.conkey))
        OR (SELECT array_agg(c ORDER BY c) FROM unnest((i.indkey::int2[])[0:cardinality(k.conkey) - 1]) c)
          = (SELECT array_agg(c ORDER BY c) FROM unnest(k.conkey) c))
      AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)', a.attname)))
  ORDER BY 1`;

test('a row that the service deletes is looked for by an index wherever another may refer to it', async () => {
  expect(await database.asOwner(UNINDEXED)).toEqual([]);
});

/** The rows of a table that an index holds, with a condition. */
async function heldBy(index: string, condition: string): Promise<number> {
  const [found] = await database.asOwner<{ table: string; predicate: string }>(
    `SELECT indrelid::regclass::text AS table, pg_get_expr(indpred, indrelid) AS predicate FROM pg_index WHERE indexrelid = $1::regclass`,
    [index],
  );
  const [row] = await database.asOwner<{ held: number }>(
    `SELECT count(*)::int AS held FROM ${found?.table} WHERE ${found?.predicate} AND ${condition}`,
  );
  return row?.held ?? -1;
}

test('a deleted schedule leaves the index of those to tell once Temporal has forgotten it', async () => {
  await database.asOwner(`SET session_replication_role = 'replica';
    INSERT INTO schedules (id, environment_id, name, cron, timezone, overlap, catch_up_seconds, destination, body_kind, created_by, deleted_at, told_revision, renew_at)
    SELECT 'sch_' || COALESCE(told::text, 'gone'), '${database.tenant.environmentId}', 'planted', '0 9 * * *', 'UTC', 'skip', 60, '{}', 'none', '{}', now(), told, CASE WHEN told IS NOT NULL THEN now() END
    FROM (VALUES (NULL::integer), (0)) AS t (told)`);
  expect(await heldBy('schedules_untold', "id = 'sch_0'")).toBe(1);
  expect(await heldBy('schedules_untold', 'told_revision IS NULL')).toBe(0);
});
