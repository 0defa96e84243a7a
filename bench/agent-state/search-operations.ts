import type { Client } from 'pg';
import { fused, matching, nearest, nearestBySigns } from './plain.ts';
import type { Agent, Operation } from './operations.ts';
import { turns } from './operations.ts';
import type { Searched } from './plant.ts';

const QUERIES = 100;
/** From here on an aim counts. */
const LARGE = 100_000;
const AIM_MS = 250;
/** A search by vectors only: an index changes nothing about words. */
const AIM_INDEXED_MS = 30;

/** What both sides search by: pgvector, with an index or without one; or plain PostgreSQL, where the plain side has the signs alone. */
export interface VectorMeans {
  hasExtension: boolean;
  isIndexed: boolean;
}

export async function searchOperations(
  { call, owner, embedder, workspaceId, texts }: Agent,
  { collectionId, memories, table }: Searched,
  { hasExtension, isIndexed }: VectorMeans,
): Promise<Operation[]> {
  const queries = Array.from({ length: QUERIES }, () => texts.query());
  const { vectors } = await embedder.embed(queries, { workspaceId });
  const asked = turns(queries);
  const plainly = turns(queries.map((query, index) => ({ query, vector: vectors[index] ?? new Float32Array() })));
  const search = async (mode: string): Promise<void> => {
    const found = await call('POST', '/api/v2/memory/search', { query: asked(), collectionIds: [collectionId], mode });
    if ((found as unknown[]).length === 0 && mode !== 'text') throw new Error('the search found nothing');
  };
  const means = isIndexed ? ', with an index' : hasExtension ? ', by pgvector' : '';
  const title = (mode: string): string => `search ${memories.toLocaleString('en')} memories, ${mode}${means}`;
  const aim = memories >= LARGE ? { aimP95Ms: AIM_MS } : {};
  const near = hasExtension ? nearest : nearestBySigns;
  return [
    {
      title: title('vector'),
      service: () => search('vector'),
      plain: () => near(owner, table, plainly().vector),
      ...aim,
      ...(isIndexed && memories >= LARGE ? { aimP95Ms: AIM_INDEXED_MS } : {}),
    },
    // The extension changes nothing about words.
    ...(hasExtension ? [] : [text()]),
    hybrid(),
  ];

  function text(): Operation {
    return {
      title: title('text'),
      service: () => search('text'),
      plain: () => matching(owner, table, plainly().query),
      ...aim,
    };
  }

  function hybrid(): Operation {
    return {
      title: title('hybrid'),
      service: () => search('hybrid'),
      plain: () => {
        const { query, vector } = plainly();
        return fused(owner, table, query, { vector, hasExtension });
      },
      ...aim,
    };
  }
}

/** A column of pgvector beside the plain table's vectors. */
export async function addHalfVectors(owner: Client, { table }: Searched, dimensions: number): Promise<void> {
  await owner.query(`ALTER TABLE ${table} ADD half halfvec(${dimensions})`);
  await owner.query(`UPDATE ${table} SET half = embedding`);
  await owner.query(`VACUUM FULL ANALYZE ${table}`);
}

export async function indexHalfVectors(owner: Client, { table }: Searched): Promise<void> {
  await owner.query(`SET maintenance_work_mem = '512MB'`);
  await owner.query(`CREATE INDEX ON ${table} USING hnsw (half halfvec_ip_ops)`);
}
