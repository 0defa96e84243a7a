import { describe, expect, test } from 'vitest';
import { readVectors } from '../../sdk/vectors.ts';
import { startPlantedDatabase } from '../harness/planted-database.ts';

/** The database hashes what the SDKs' vectors say: sdk/vectors/README.md, "Receipts". */

const { canonicalTexts, receipts } = readVectors('receipts');

const world = await startPlantedDatabase();
const { owner } = world;

test.each(canonicalTexts)('PostgreSQL prints $name as it is hashed', async ({ value, text }) => {
  const { rows } = await owner.query<{ text: string }>('SELECT ($1::jsonb)::text AS text', [JSON.stringify(value)]);
  expect(rows).toEqual([{ text }]);
});

describe('the hashes of good receipts are those that the database would have made', () => {
  const good = receipts.filter(({ expect: { valid, entries } }) => valid && entries > 0);
  test.each(good)('$name', async ({ effect }) => {
    const records = [...effect.evidence, ...(effect.resolution === null ? [] : [effect.resolution])];
    for (const { chain, ...content } of records) {
      for (const { previousHash, sequence, kind, hash } of chain) {
        const hashed = [previousHash, effect.environmentId, effect.id, sequence, kind, content];
        const { rows } = await owner.query<{ hash: string }>('SELECT receipt_digest($1::jsonb) AS hash', [
          JSON.stringify(hashed),
        ]);
        expect(rows).toEqual([{ hash }]);
      }
    }
  });
});
