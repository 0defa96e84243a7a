import { Client } from 'pg';
import { Database } from '../db/client.ts';
import { listEveryEnvironment } from '../db/environments/list-every-environment.ts';
import { type CollectionSize, listCollectionSizes } from '../db/memory/list-collection-sizes.ts';
import { INDEXED_DIMENSIONS_MAX, VECTOR_INDEX_PREFIX, vectorIndexName } from '../db/memory/vector-indexes.ts';
import { WORD_INDEX_PREFIX, wordIndexName } from '../db/memory/word-indexes.ts';
import { COMMON_WORD_ONE_IN } from '../domain/memory/rarest-words.ts';

/** From how many vectors on a collection gets an index, where nothing else is said: docs/memory.md has the figures. */
export const INDEX_FROM_VECTORS = 20_000;
/** A build is many times faster where its graph fits: 100,000 vectors of 256 dimensions take some 100 MB. */
const BUILD_MEMORY = '512MB';

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
 * Builds the indexes of each collection that has none, over its vectors and over its words, one after the other, while the service goes
 * on. Where they are there, it counts the collection's words again. It drops indexes whose collection is gone or whose build was ended.
 * `report` is told what was done. It may be run again at any time.
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
    const there = await listCollections(urls.applicationUrl);
    const isThere = (id: string): boolean => there.some((one) => one.id === id);
    await dropIndexes(owner, there, ({ collectionId, isWhole }) => !isThere(collectionId) || !isWhole, report);
    for (const collection of await listCollections(urls.applicationUrl)) {
      if (!isWanted(collection)) continue;
      const startedAt = performance.now();
      await build(owner, collection);
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      const { id, vectors, isIndexed, areWordsIndexed } = collection;
      if (isIndexed && areWordsIndexed) report(`${id}: its words were counted again.`);
      else report(`${id}: an index over ${vectors} vectors and their words was built in ${seconds} s.`);
    }
  });
}

/** Drops every index, or those of one collection. Searches then go without. */
export async function dropMemoryIndexes(
  urls: MemoryIndexUrls,
  collectionId: string | null,
  report: (line: string) => void,
): Promise<void> {
  await asOnlyBuilder(urls.ownerUrl, async (owner) => {
    const there = await listCollections(urls.applicationUrl);
    await dropIndexes(owner, there, (index) => collectionId === null || index.collectionId === collectionId, report);
  });
}

/** One command at a time: an index that another one is still building looks like one whose build was ended. */
async function asOnlyBuilder(ownerUrl: string, work: (owner: Client) => Promise<void>): Promise<void> {
  const owner = new Client({ connectionString: ownerUrl, application_name: 'memory-index' });
  await owner.connect();
  try {
    const { rows } = await owner.query<{ held: boolean }>(
      "SELECT pg_try_advisory_lock(hashtext('memory indexes')) AS held",
    );
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

/** Writers go on. A build that is ended leaves an index that no search uses, which the next run drops. */
async function build(owner: Client, collection: Collection): Promise<void> {
  const { id, environmentId, dimensions, isIndexed, areWordsIndexed } = collection;
  if (dimensions > INDEXED_DIMENSIONS_MAX) {
    throw new Error(`Collection ${id} has ${dimensions} dimensions; an index takes at most ${INDEXED_DIMENSIONS_MAX}.`);
  }
  await owner.query(`SET maintenance_work_mem = '${BUILD_MEMORY}'`);
  if (!isIndexed) {
    await runFormatted(
      owner,
      `format('CREATE INDEX CONCURRENTLY %I ON public.memory_vectors USING hnsw ((CAST(embedding AS halfvec(%s))) halfvec_ip_ops)
         WHERE environment_id = %L::uuid AND collection_id = %L', $1::text, $2::int, $3::text, $4::text)`,
      [vectorIndexName(id), dimensions, environmentId, id],
    );
  }
  // Before their index: where that is whole, they have been counted.
  await countWords(owner, collection);
  if (areWordsIndexed) return;
  // A list of pending entries would be read by each search.
  await runFormatted(
    owner,
    `format('CREATE INDEX CONCURRENTLY %I ON public.memories USING gin (terms) WITH (fastupdate = off)
       WHERE environment_id = %L::uuid AND collection_id = %L', $1::text, $2::text, $3::text)`,
    [wordIndexName(id), environmentId, id],
  );
}

/**
 * Counts what searches look for: not how words are written exactly, by which they only rank. The owner of the tables may be no superuser:
 * row-level security binds it too.
 */
async function countWords(owner: Client, { id, environmentId }: Collection): Promise<void> {
  await inEnvironment(owner, environmentId, async () => {
    await owner.query('DELETE FROM memory_word_counts WHERE collection_id = $1', [id]);
    await owner.query(
      `INSERT INTO memory_word_counts (collection_id, word, environment_id, memories)
       SELECT $1, counted.word, $2, counted.ndoc
       FROM ts_stat(format('SELECT terms FROM public.memories WHERE environment_id = %L::uuid AND collection_id = %L', $2::uuid, $1::text),
         'BCD') counted
       WHERE counted.ndoc::bigint * $3 > (SELECT count(*) FROM memories m WHERE m.environment_id = $2 AND m.collection_id = $1)`,
      [id, environmentId, COMMON_WORD_ONE_IN],
    );
  });
}

async function forgetWords(owner: Client, { id, environmentId }: Collection): Promise<void> {
  await inEnvironment(owner, environmentId, async () => {
    await owner.query('DELETE FROM memory_word_counts WHERE collection_id = $1', [id]);
  });
}

async function inEnvironment(owner: Client, environmentId: string, work: () => Promise<void>): Promise<void> {
  await owner.query('BEGIN');
  try {
    await owner.query(`SELECT set_config('app.environment_id', $1, true)`, [environmentId]);
    await work();
    await owner.query('COMMIT');
  } catch (error) {
    await owner.query('ROLLBACK');
    throw error;
  }
}

interface Index {
  name: string;
  collectionId: string;
  isWhole: boolean;
}

/** A deleted collection took what was counted of its words with it. */
async function dropIndexes(
  owner: Client,
  there: readonly Collection[],
  isDropped: (index: Index) => boolean,
  report: (line: string) => void,
): Promise<void> {
  const dropped = new Set<string>();
  for (const index of (await listIndexes(owner)).filter(isDropped)) {
    const { name, collectionId } = index;
    await runFormatted(owner, `format('DROP INDEX CONCURRENTLY IF EXISTS public.%I', $1::text)`, [name]);
    const collection = there.find(({ id }) => id === collectionId);
    if (collection !== undefined && name === wordIndexName(collectionId)) await forgetWords(owner, collection);
    dropped.add(collectionId);
  }
  for (const collectionId of dropped) report(`${collectionId}: its index was dropped.`);
}

async function listIndexes(owner: Client): Promise<Index[]> {
  const { rows } = await owner.query<Index>(
    `SELECT c.relname AS name, substr(c.relname, length(p.prefix) + 1) AS "collectionId", i.indisvalid AS "isWhole"
     FROM (VALUES ('public.memory_vectors'::regclass, $1), ('public.memories'::regclass, $2)) AS p (indexed, prefix)
     JOIN pg_index i ON i.indrelid = p.indexed JOIN pg_class c ON c.oid = i.indexrelid AND starts_with(c.relname, p.prefix)
     ORDER BY c.relname`,
    [VECTOR_INDEX_PREFIX, WORD_INDEX_PREFIX],
  );
  return rows;
}

/** PostgreSQL quotes the names and values of a statement that takes no parameters, and runs it. */
async function runFormatted(owner: Client, formatted: string, values: readonly unknown[]): Promise<void> {
  const { rows } = await owner.query<{ statement: string }>(`SELECT ${formatted} AS statement`, [...values]);
  await owner.query(rows[0]?.statement ?? '');
}
