import { ServiceError } from '../../domain/errors.ts';
import { CACHE_ENTRIES_MAX } from '../../domain/cache/cache.ts';
import { signsOf } from '../../domain/embeddings/embedder.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { CACHE_COLUMNS, type CacheEntryRecord } from './records.ts';
import { bytesOf } from './vectors.ts';

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
    `DELETE FROM cache_entries WHERE id = ANY (ARRAY(SELECT c.id FROM cache_entries c
       WHERE c.environment_id = current_environment_id() AND c.expires_at <= now()
       ORDER BY c.expires_at LIMIT ${EXPIRED_AT_ONCE_MAX} FOR UPDATE SKIP LOCKED))`,
  );
  const { vector, ...values } = entry;
  const response = JSON.stringify(entry.response);
  const { rows } = await tx.raw<{ rows: (CacheEntryRecord & { replacedId: string | null })[] }>(
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
  const [stored] = rows;
  if (stored === undefined) throw new Error('an entry that was stored is answered');
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
  await tx.raw("SELECT pg_advisory_xact_lock(hashtextextended('cache-entries/' || current_environment_id(), 0))");
  if ((await countEntries(tx)) <= CACHE_ENTRIES_MAX) return;
  throw new ServiceError('QUOTA_EXCEEDED', {
    message: `An environment caches at most ${CACHE_ENTRIES_MAX} answers. Flush some, or give them a shorter ttlSeconds.`,
  });
}

/** Those that have not expired; a count beyond the cap ends there. */
async function countEntries(tx: EnvironmentTransaction): Promise<number> {
  const { rows } = await tx.raw<{ rows: { count: number }[] }>(
    `SELECT count(*)::int AS count FROM (SELECT 1 FROM cache_entries WHERE environment_id = current_environment_id() AND expires_at > now()
       LIMIT ${CACHE_ENTRIES_MAX + 1}) c`,
  );
  return rows[0]?.count ?? 0;
}
