import { Client } from 'pg';
import { Database } from '../db/client.ts';
import { listEveryEnvironment } from '../db/environments/list-every-environment.ts';
import { type CollectionSize, listCollectionSizes } from '../db/memory/list-collection-sizes.ts';
import { INDEXED_DIMENSIONS_MAX, VECTOR_INDEX_PREFIX, vectorIndexName } from '../db/memory/vector-indexes.ts';

/** From how many vectors on a collection gets an index, where nothing else is said: docs/memory.md has the figures. */
export const INDEX_FROM_VECTORS = 20_000;
/** A build is many times faster where its graph fits: 100,000 vectors of 256 dimensions take some 100 MB. */
const BUILD_MEMORY = '512MB';
/** Held while indexes are built or dropped: an index that another command is still building looks like one whose build was ended. */
const LOCK_KEY = 7_238_401;

export interface MemoryIndexUrls {
  /** Owns the tables. */
  ownerUrl: string;
  /** The application's login: it reads which collections there are, one environment after the other. */
  applicationUrl: string;
}

export interface Collection extends CollectionSize {
  environmentId: string;
}

/** Every collection of the installation, the largest first. */
export async function listCollections(applicationUrl: string): Promise<Collection[]> {
  const db = new Database({ url: applicationUrl, applicationName: 'memory-index', poolMax: 2 });
  try {
    const found: Collection[] = [];
    for (const tenant of await listEveryEnvironment(db)) {
      const sizes = await db.withEnvironment(tenant, listCollectionSizes, { readOnly: true });
      found.push(...sizes.map((size) => ({ ...size, environmentId: tenant.environmentId })));
    }
    return found.toSorted((a, b) => b.vectors - a.vectors);
  } finally {
    await db.close();
  }
}

/**
 * Builds the index of each collection that has none, one after the other, while the service goes on, and drops indexes whose collection
 * is gone or whose build was ended. `report` is told what was done. It may be run again at any time.
 *
 * @throws where the extension is not there, another command is at it, or a collection has too many dimensions.
 */
export async function buildMemoryIndexes(
  urls: MemoryIndexUrls,
  isWanted: (collection: Collection) => boolean,
  report: (line: string) => void,
): Promise<void> {
  await asOnlyBuilder(urls.ownerUrl, async (owner) => {
    await requireExtension(owner);
    await dropIndexes(owner, { unless: await idsOf(urls.applicationUrl), onlyUnfinished: false }, report);
    await dropIndexes(owner, { unless: new Set(), onlyUnfinished: true }, report);
    for (const collection of await listCollections(urls.applicationUrl)) {
      if (collection.isIndexed || !isWanted(collection)) continue;
      const startedAt = performance.now();
      await build(owner, collection);
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      report(`${collection.id}: an index over ${collection.vectors} vectors was built in ${seconds} s.`);
    }
  });
}

/** Drops every index, or that of one collection. Searches then go without. */
export async function dropMemoryIndexes(
  ownerUrl: string,
  collectionId: string | null,
  report: (line: string) => void,
): Promise<void> {
  await asOnlyBuilder(ownerUrl, (owner) =>
    dropIndexes(owner, { unless: new Set(), onlyUnfinished: false, only: collectionId }, report),
  );
}

async function asOnlyBuilder(ownerUrl: string, work: (owner: Client) => Promise<void>): Promise<void> {
  const owner = new Client({ connectionString: ownerUrl, application_name: 'memory-index' });
  await owner.connect();
  try {
    const { rows } = await owner.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [LOCK_KEY]);
    if (rows[0]?.held !== true)
      throw new Error('Another command builds or drops indexes of memories now. Wait for it.');
    await work(owner);
  } finally {
    await owner.end();
  }
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

async function build(owner: Client, { id, environmentId, dimensions }: Collection): Promise<void> {
  if (dimensions > INDEXED_DIMENSIONS_MAX) {
    throw new Error(`Collection ${id} has ${dimensions} dimensions; an index takes at most ${INDEXED_DIMENSIONS_MAX}.`);
  }
  await owner.query(`SET maintenance_work_mem = '${BUILD_MEMORY}'`);
  const { rows } = await owner.query<{ statement: string }>(
    `SELECT format('CREATE INDEX CONCURRENTLY %I ON public.memory_vectors USING hnsw ((CAST(embedding AS halfvec(%s))) halfvec_ip_ops)
       WHERE environment_id = %L::uuid AND collection_id = %L', $1::text, $2::int, $3::text, $4::text) AS statement`,
    [vectorIndexName(id), dimensions, environmentId, id],
  );
  // Writers go on. A build that is ended leaves an index that no search uses, which the next run drops.
  await owner.query(rows[0]?.statement ?? '');
}

interface Dropped {
  /** Collections whose index stays. */
  unless: ReadonlySet<string>;
  onlyUnfinished: boolean;
  /** Null or left out: of every collection. */
  only?: string | null;
}

async function dropIndexes(owner: Client, which: Dropped, report: (line: string) => void): Promise<void> {
  const { rows } = await owner.query<{ name: string; whole: boolean }>(
    `SELECT c.relname AS name, i.indisvalid AS whole FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid = 'public.memory_vectors'::regclass AND starts_with(c.relname, $1) ORDER BY c.relname`,
    [VECTOR_INDEX_PREFIX],
  );
  for (const { name, whole } of rows) {
    const id = name.slice(VECTOR_INDEX_PREFIX.length);
    if (which.unless.has(id) || (which.onlyUnfinished && whole)) continue;
    if (typeof which.only === 'string' && which.only !== id) continue;
    const { rows: made } = await owner.query<{ statement: string }>(
      `SELECT format('DROP INDEX CONCURRENTLY IF EXISTS public.%I', $1::text) AS statement`,
      [name],
    );
    await owner.query(made[0]?.statement ?? '');
    report(`${id}: its index was dropped.`);
  }
}

async function idsOf(applicationUrl: string): Promise<Set<string>> {
  return new Set((await listCollections(applicationUrl)).map(({ id }) => id));
}
