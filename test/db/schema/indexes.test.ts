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
