import { CANDIDATES_MAX } from '../../domain/cache/cache.ts';
import { signsOf } from '../../domain/embeddings/embedder.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { CACHE_COLUMNS, type CacheEntryRecord, IS_LIVE } from './records.ts';
import { vectorOf } from './vectors.ts';

/** A live entry with the same prompt. */
export async function findExactEntry(
  tx: EnvironmentTransaction,
  { identity, promptDigest }: { identity: Buffer; promptDigest: Buffer },
): Promise<CacheEntryRecord | null> {
  const { rows } = await tx.raw<{ rows: CacheEntryRecord[] }>(
    `SELECT ${CACHE_COLUMNS} FROM cache_entries c
     WHERE c.environment_id = current_environment_id() AND c.identity = :identity AND c.prompt_digest = :promptDigest AND ${IS_LIVE}`,
    { identity, promptDigest },
  );
  return rows[0] ?? null;
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
  const { rows } = await tx.raw<{ rows: { id: string; prompt: string; embedding: Buffer }[] }>(
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
  const { rows } = await tx.raw<{ rows: (CacheEntryRecord & { tokens: number })[] }>(
    `UPDATE cache_entries c SET hits = c.hits + 1, last_hit_at = now() WHERE c.id = ? AND ${IS_LIVE} RETURNING ${CACHE_COLUMNS}, c.tokens`,
    [id],
  );
  return rows[0] ?? null;
}
