import { CACHE_ENTRIES_MAX, CANDIDATES_MAX } from '../../domain/cache/cache.ts';
import { signsOf } from '../../domain/embeddings/embedder.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { CACHE_COLUMNS, type CacheEntryRecord, IS_LIVE } from './entries.ts';

/** How vectors are stored: float32, little-endian, whatever the machine. */
function bytesOf(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * Float32Array.BYTES_PER_ELEMENT);
  return bytes;
}

function vectorOf(bytes: Buffer): Float32Array {
  const vector = new Float32Array(bytes.length / Float32Array.BYTES_PER_ELEMENT);
  for (let index = 0; index < vector.length; index++)
    vector[index] = bytes.readFloatLE(index * Float32Array.BYTES_PER_ELEMENT);
  return vector;
}

/** A live entry with the same prompt. */
export async function findExactEntry(
  tx: EnvironmentTransaction,
  { identity, promptDigest }: { identity: Buffer; promptDigest: Buffer },
): Promise<CacheEntryRecord | null> {
  return tx.row<CacheEntryRecord>(
    'find_exact_entry',
    `SELECT ${CACHE_COLUMNS} FROM cache_entries c
     WHERE c.environment_id = current_environment_id() AND c.identity = :identity AND c.prompt_digest = :promptDigest AND ${IS_LIVE}`,
    { identity, promptDigest },
  );
}

export interface Candidate {
  id: string;
  prompt: string;
  vector: Float32Array;
}

/** The live entries of an identity whose vectors have nearly the signs of this one, of the same model alone. */
export async function findCandidates(
  tx: EnvironmentTransaction,
  asked: { identity: Buffer; embeddingModel: string; vector: Float32Array },
): Promise<Candidate[]> {
  const rows = await tx.rows<{ id: string; prompt: string; embedding: Buffer }>(
    'find_candidates',
    `SELECT c.id, c.prompt, c.embedding FROM cache_entries c
     WHERE c.environment_id = current_environment_id() AND c.identity = :identity AND ${IS_LIVE}
       AND c.embedding_model = :embeddingModel AND length(c.signs) = :dimensions
     ORDER BY bit_count(c.signs # CAST(:signs AS bit varying)), c.id LIMIT ${CANDIDATES_MAX}`,
    {
      identity: asked.identity,
      embeddingModel: asked.embeddingModel,
      dimensions: asked.vector.length,
      signs: signsOf(asked.vector),
    },
  );
  return rows.map(({ id, prompt, embedding }) => ({ id, prompt, vector: vectorOf(embedding) }));
}

export type Counted = 'hits' | 'misses' | 'gated';

/** Counts a lookup. A gated one is a miss too. */
export async function countLookup(tx: EnvironmentTransaction, what: Counted, tokensSaved: number): Promise<void> {
  const counts = { hits: Number(what === 'hits'), misses: Number(what !== 'hits'), gated: Number(what === 'gated') };
  await tx.raw(
    'count_lookup',
    `INSERT INTO cache_counters AS k (environment_id, shard, hits, misses, gated, tokens_saved)
     VALUES (current_environment_id(), floor(random() * 16), :hits, :misses, :gated, :tokensSaved)
     ON CONFLICT (environment_id, shard) DO UPDATE SET hits = k.hits + EXCLUDED.hits, misses = k.misses + EXCLUDED.misses,
       gated = k.gated + EXCLUDED.gated, tokens_saved = k.tokens_saved + EXCLUDED.tokens_saved`,
    { ...counts, tokensSaved },
  );
}

/** An entry was answered. Null where it is gone meanwhile. */
export async function noteHit(
  tx: EnvironmentTransaction,
  id: string,
): Promise<(CacheEntryRecord & { tokens: number }) | null> {
  return tx.row<CacheEntryRecord & { tokens: number }>(
    'note_hit',
    `UPDATE cache_entries c SET hits = c.hits + 1, last_hit_at = now() WHERE c.id = ? AND ${IS_LIVE} RETURNING ${CACHE_COLUMNS}, c.tokens`,
    [id],
  );
}

export interface NewCacheEntry {
  id: string;
  identity: Buffer;
  promptDigest: Buffer;
  namespace: string;
  model: string | null;
  attributes: JsonObject;
  prompt: string;
  response: Json;
  tokens: number;
  embeddingModel: string;
  vector: Float32Array;
  ttlSeconds: number;
}

/** How many expired entries a store deletes on its way: more than it adds, so that they go. */
const EXPIRED_AT_ONCE_MAX = 100;

/** Far from the cap nobody waits for others that store at this moment: more than these many do not. */
const COUNTED_ALONE_TO = CACHE_ENTRIES_MAX - 1_000;

/**
 * Stores an entry. It replaces the entry with the same prompt and identity, under a new id and without its hits. `replacedId`: the
 * replaced entry, if it still answered; null if there was none.
 *
 * @throws {ServiceError} QUOTA_EXCEEDED where the environment has as many entries as it may.
 */
export async function storeEntry(
  tx: EnvironmentTransaction,
  entry: NewCacheEntry,
): Promise<{ entry: CacheEntryRecord; replacedId: string | null }> {
  await tx.raw(
    'store_entry',
    `DELETE FROM cache_entries WHERE id = ANY (ARRAY(SELECT c.id FROM cache_entries c
       WHERE c.environment_id = current_environment_id() AND c.expires_at <= now()
       ORDER BY c.expires_at LIMIT ${EXPIRED_AT_ONCE_MAX} FOR UPDATE SKIP LOCKED))`,
  );
  const { vector, ...values } = entry;
  const response = JSON.stringify(entry.response);
  const stored = await tx.row<CacheEntryRecord & { replacedId: string | null }>(
    'store_entry_2',
    `WITH before AS (SELECT b.id FROM cache_entries b WHERE b.environment_id = current_environment_id() AND b.identity = :identity
       AND b.prompt_digest = :promptDigest AND b.expires_at > now())
     INSERT INTO cache_entries AS c (id, environment_id, identity, prompt_digest, namespace, model, attributes, prompt, response, tokens, bytes,
       embedding_model, embedding, signs, expires_at)
     VALUES (:id, current_environment_id(), :identity, :promptDigest, :namespace, :model, :attributes, :prompt, :response, :tokens, :bytes,
       :embeddingModel, :embedding, CAST(:signs AS bit varying), now() + make_interval(secs => :ttlSeconds))
     ON CONFLICT (environment_id, identity, prompt_digest) DO UPDATE SET id = EXCLUDED.id, prompt = EXCLUDED.prompt,
       response = EXCLUDED.response, tokens = EXCLUDED.tokens, bytes = EXCLUDED.bytes, embedding_model = EXCLUDED.embedding_model,
       embedding = EXCLUDED.embedding, signs = EXCLUDED.signs, hits = 0, created_at = now(), expires_at = EXCLUDED.expires_at, last_hit_at = NULL
     RETURNING ${CACHE_COLUMNS}, (SELECT before.id FROM before) AS "replacedId"`,
    {
      ...values,
      attributes: JSON.stringify(entry.attributes),
      response,
      bytes: Buffer.byteLength(entry.prompt) + Buffer.byteLength(response),
      embedding: bytesOf(vector),
      signs: signsOf(vector),
    },
  );
  if (stored === null) throw new Error('an entry that was stored is answered');
  await refuseTooMany(tx);
  const { replacedId, ...record } = stored;
  return { entry: record, replacedId };
}

/**
 * Near the cap, transactions that store wait for each other: two that counted at the same time would both miss the other's entry. Each
 * has inserted its own entry before it waits, so the holder of the lock never waits for an entry of another.
 */
async function refuseTooMany(tx: EnvironmentTransaction): Promise<void> {
  if ((await countEntries(tx)) <= COUNTED_ALONE_TO) return;
  await tx.raw(
    'cache_refuse_too_many',
    "SELECT pg_advisory_xact_lock(hashtextextended('cache-entries/' || current_environment_id(), 0))",
  );
  if ((await countEntries(tx)) <= CACHE_ENTRIES_MAX) return;
  throw new ServiceError('QUOTA_EXCEEDED', {
    message: `An environment caches at most ${CACHE_ENTRIES_MAX} answers. Flush some, or give them a shorter ttlSeconds.`,
  });
}

/** Those that have not expired; a count beyond the cap ends there. */
async function countEntries(tx: EnvironmentTransaction): Promise<number> {
  const row = await tx.row<{ count: number }>(
    'count_entries',
    `SELECT count(*)::int AS count FROM (SELECT 1 FROM cache_entries WHERE environment_id = current_environment_id() AND expires_at > now()
       LIMIT ${CACHE_ENTRIES_MAX + 1}) c`,
  );
  return row?.count ?? 0;
}
