import { Client } from 'pg';
import { listEveryEnvironment } from '../db/environments/directory.ts';
import { countVectors } from '../db/memory/collections.ts';
import { withDatabase } from './with-database.ts';

const INDEX_PREFIX = 'memory_vectors_near_';
const indexName = (dimensions: number): string => `${INDEX_PREFIX}${dimensions}`;
/** pgvector indexes 16-bit vectors of at most so many dimensions. */
const INDEXED_DIMENSIONS_MAX = 4_000;
/** A build is many times faster where its graph fits: 100,000 vectors of 256 dimensions take some 100 MB. */
const BUILD_MEMORY = '512MB';

export interface MemoryIndexUrls {
  /** Owns the tables. */
  ownerUrl: string;
  /** The application's login: it counts the vectors, one environment after the other. */
  applicationUrl: string;
}

export interface VectorIndex {
  dimensions: number;
  /** Counts every version of every tenant. */
  vectors: number;
  /** False also for an index that is being built or whose build was interrupted. */
  isIndexed: boolean;
}

export async function listVectorIndexes({ ownerUrl, applicationUrl }: MemoryIndexUrls): Promise<VectorIndex[]> {
  const vectors = await countByDimensions(applicationUrl);
  return withOwner(ownerUrl, async (owner) => {
    const whole = new Set((await listIndexes(owner)).filter(({ isWhole }) => isWhole).map(({ name }) => name));
    return [...vectors]
      .toSorted(([one], [other]) => one - other)
      .map(([dimensions, count]) => ({ dimensions, vectors: count, isIndexed: whole.has(indexName(dimensions)) }));
  });
}

async function countByDimensions(applicationUrl: string): Promise<Map<number, number>> {
  return withDatabase(applicationUrl, 'memory-index', async (db) => {
    const counts = new Map<number, number>();
    for (const tenant of await listEveryEnvironment(db)) {
      for (const { dimensions, vectors } of await db.withEnvironment(tenant, countVectors, { readOnly: true })) {
        counts.set(dimensions, (counts.get(dimensions) ?? 0) + vectors);
      }
    }
    return counts;
  });
}

/**
 * Builds the missing index of each dimension while the service runs, and drops indexes that are incomplete or no longer needed. Idempotent.
 *
 * @throws when the extension is missing, another command runs, or vectors have too many dimensions.
 */
export async function buildMemoryIndexes(urls: MemoryIndexUrls, report: (line: string) => void): Promise<void> {
  await asOnlyBuilder(urls.ownerUrl, async (owner) => {
    await requireExtension(owner);
    const wanted = new Set((await countByDimensions(urls.applicationUrl)).keys());
    const wantedNames = new Set([...wanted].map(indexName));
    await dropIndexes(owner, ({ name, isWhole }) => !isWhole || !wantedNames.has(name), report);
    const there = new Set((await listIndexes(owner)).map(({ name }) => name));
    await owner.query(`SET maintenance_work_mem = '${BUILD_MEMORY}'`);
    for (const dimensions of wanted) {
      if (there.has(indexName(dimensions))) continue;
      const startedAt = performance.now();
      await build(owner, dimensions);
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      report(`${dimensions} dimensions: the index was built in ${seconds} s.`);
    }
  });
}

export async function dropMemoryIndexes({ ownerUrl }: MemoryIndexUrls, report: (line: string) => void): Promise<void> {
  await asOnlyBuilder(ownerUrl, (owner) => dropIndexes(owner, () => true, report));
}

/** Does not block writers. An interrupted build leaves an index that no search uses, which the next run drops. */
async function build(owner: Client, dimensions: number): Promise<void> {
  if (dimensions > INDEXED_DIMENSIONS_MAX) {
    throw new Error(`Vectors of ${dimensions} dimensions cannot be indexed: at most ${INDEXED_DIMENSIONS_MAX} can.`);
  }
  await owner.query(
    `CREATE INDEX CONCURRENTLY ${indexName(dimensions)} ON public.memory_vectors
     USING hnsw ((CAST(embedding AS halfvec(${dimensions}))) halfvec_ip_ops) WHERE dimensions = ${dimensions}`,
  );
}

async function withOwner<T>(ownerUrl: string, work: (owner: Client) => Promise<T>): Promise<T> {
  const owner = new Client({ connectionString: ownerUrl, application_name: 'memory-index' });
  await owner.connect();
  try {
    return await work(owner);
  } finally {
    await owner.end();
  }
}

/** One command at a time: an index that another command is still building looks like an interrupted one. */
function asOnlyBuilder(ownerUrl: string, work: (owner: Client) => Promise<void>): Promise<void> {
  return withOwner(ownerUrl, async (owner) => {
    const { rows } = await owner.query<{ held: boolean }>(
      "SELECT pg_try_advisory_lock(hashtext('memory indexes')) AS held",
    );
    if (rows[0]?.held !== true)
      throw new Error('Another command builds or drops indexes of memories now. Wait for it.');
    await work(owner);
  });
}

async function requireExtension(owner: Client): Promise<void> {
  const { rows } = await owner.query<{ there: boolean; available: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'vector') AS there,
       EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') AS available`,
  );
  if (rows[0]?.there === true) return;
  if (rows[0]?.available !== true) {
    throw new Error(
      'This PostgreSQL does not have the extension pgvector. For the embedded one, start the stack with MEMORY_INDEX=hnsw; for one of yours, install it there.',
    );
  }
  await owner.query('CREATE EXTENSION IF NOT EXISTS vector SCHEMA public');
}

interface Index {
  name: string;
  isWhole: boolean;
}

async function dropIndexes(
  owner: Client,
  isDropped: (index: Index) => boolean,
  report: (line: string) => void,
): Promise<void> {
  for (const { name } of (await listIndexes(owner)).filter(isDropped)) {
    await owner.query(`DROP INDEX CONCURRENTLY IF EXISTS public.${name}`);
    report(`${name.slice(INDEX_PREFIX.length)} dimensions: the index was dropped.`);
  }
}

async function listIndexes(owner: Client): Promise<Index[]> {
  const { rows } = await owner.query<Index>(
    `SELECT c.relname AS name, i.indisvalid AS "isWhole" FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid = 'public.memory_vectors'::regclass AND c.relname ~ ('^' || $1 || '[0-9]+$') ORDER BY c.relname`,
    [INDEX_PREFIX],
  );
  return rows;
}
