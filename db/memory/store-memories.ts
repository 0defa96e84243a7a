import { validationError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { signsOf } from '../../domain/embeddings/embedder.ts';
import type { MemoryKind, MemorySource } from '../../domain/memory/memories.ts';
import { searchTermsOf } from '../../domain/memory/search-terms.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface NewMemory {
  kind: MemoryKind;
  content: string;
  userId: string | null;
  agentId: string | null;
  sessionId: string | null;
  source: MemorySource | null;
  metadata: JsonObject;
  /** Null: when it is recorded. */
  validFrom: Date | null;
  validTo: Date | null;
  expiresAt: Date | null;
  vector: Float32Array;
}

/** A later version of a chain; null for a first one. */
export interface Follows {
  chainId: string;
  version: number;
}

/**
 * Stores memories with their vectors, in a collection that the transaction holds (`holdCollection`). The database dates them. Returns their
 * ids, in order.
 *
 * @throws {ServiceError} VALIDATION_ERROR where one ends before it begins: its end passed since it was looked at.
 */
export async function storeMemories(
  tx: EnvironmentTransaction,
  collectionId: string,
  memories: readonly NewMemory[],
  follows: Follows | null = null,
): Promise<string[]> {
  const rows = memories.map(({ source, vector, ...memory }) => {
    const id = newId('memory');
    return {
      ...memory,
      id,
      chainId: follows?.chainId ?? id,
      version: follows?.version ?? 1,
      sourceType: source?.type ?? null,
      sourceId: source?.id ?? null,
      signs: signsOf(vector),
      ...searchTermsOf(memory.content),
    };
  });
  const ids = rows.map(({ id }) => id);
  const insertion = tx.raw(
    `INSERT INTO memories (id, environment_id, collection_id, chain_id, version, kind, content, user_id, agent_id, session_id, source_type,
       source_id, metadata, valid_from, valid_to, expires_at, signs, terms)
     SELECT r.id, current_environment_id(), :collectionId, r."chainId", r.version, r.kind, r.content, r."userId", r."agentId", r."sessionId",
       r."sourceType", r."sourceId", r.metadata, r."validFrom", r."validTo", r."expiresAt", CAST(r.signs AS bit varying), memory_terms(r.words, r.others)
     FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS r (id text, "chainId" text, version integer, kind text, content text, "userId" text,
       "agentId" text, "sessionId" text, "sourceType" text, "sourceId" text, metadata jsonb, "validFrom" timestamptz, "validTo" timestamptz,
       "expiresAt" timestamptz, signs text, words jsonb, others text)`,
    { collectionId, rows: JSON.stringify(rows) },
  );
  await insertion.catch(refuseEnded);
  await tx.raw(
    `INSERT INTO memory_vectors (memory_id, environment_id, collection_id, embedding)
     SELECT v.id, current_environment_id(), :collectionId, CAST(v.embedding AS real[])
     FROM unnest(CAST(:ids AS text[]), CAST(:embeddings AS text[])) AS v (id, embedding)`,
    { collectionId, ids, embeddings: memories.map(({ vector }) => `{${vector.join(',')}}`) },
  );
  return ids;
}

function refuseEnded(error: unknown): never {
  const isEnded =
    error instanceof Error && 'constraint' in error && error.constraint === 'memories_end_after_they_begin';
  if (!isEnded) throw error;
  const message = 'must be after validFrom: it has passed meanwhile. Name a later one, or null';
  throw validationError([{ path: 'body.validTo', message }]);
}
