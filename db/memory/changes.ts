import { notFound, ServiceError, validationError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { type Embedded, refuseOtherModel, signsOf } from '../../domain/embeddings/embedder.ts';
import { type MemoryKind, type MemorySource, VERSIONS_MAX } from '../../domain/memory/memories.ts';
import { searchTermsOf } from '../../domain/memory/search-terms.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { IS_THERE } from './records.ts';
import { holdCollection } from './collections.ts';

interface LockedMemory {
  chainId: string;
  collectionId: string;
  /** The version that was recorded last. */
  newest: { id: string; version: number };
}

/**
 * Locks the chain of a memory until the transaction ends. `change`: nobody else adds a version; `derive`: nobody deletes it. Null where
 * the memory is not there.
 */
export async function lockChain(
  tx: EnvironmentTransaction,
  id: string,
  to: 'change' | 'derive',
): Promise<LockedMemory | null> {
  const row = await tx.row<{ id: string }>(
    { variantsOf: 'lock_chain' },
    `SELECT r.id FROM memories r WHERE r.id = (SELECT m.chain_id FROM memories m WHERE m.id = ? AND ${IS_THERE})
     ${to === 'change' ? 'FOR NO KEY UPDATE' : 'FOR KEY SHARE'}`,
    [id],
  );
  const chainId = row?.id;
  if (chainId === undefined) return null;
  // A separate statement, so that it sees what was committed while this transaction waited for the lock. Time has passed too: if the
  // chain has expired meanwhile, the sweep may have deleted a part of it.
  const newest = await tx.row<{ id: string; version: number; collectionId: string }>(
    'lock_chain_2',
    `SELECT id, version, collection_id AS "collectionId" FROM memories WHERE chain_id = ?
       AND (expires_at IS NULL OR expires_at > clock_timestamp()) ORDER BY version DESC LIMIT 1`,
    [chainId],
  );
  return newest === null ? null : { chainId, collectionId: newest.collectionId, newest };
}

export interface NewMemory {
  kind: MemoryKind;
  content: string;
  userId: string | null;
  agentId: string | null;
  sessionId: string | null;
  source: MemorySource | null;
  metadata: JsonObject;
  /** Defaults to the time of the recording. */
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
    'store_memories',
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
    'store_memories_2',
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

export interface MemoryChange {
  content?: string | undefined;
  kind?: MemoryKind | undefined;
  metadata?: JsonObject | undefined;
  validFrom?: Date | undefined;
  validTo?: Date | null | undefined;
  expiresAt?: Date | null | undefined;
}

interface Before {
  kind: MemoryKind;
  content: string;
  userId: string | null;
  agentId: string | null;
  sessionId: string | null;
  source: { type: string; id: string } | null;
  metadata: JsonObject;
  validTo: Date | null;
  expiresAt: Date | null;
  /** Empty: it has none. */
  embedding: number[] | null;
}

/**
 * Records the next version of a memory's chain; what the change leaves out is as before. `embedded` is of the new content, null where
 * that stays. Returns the id of the new version.
 *
 * @throws {ServiceError} NOT_FOUND; CONFLICT where a later version is there already; SERVICE_UNAVAILABLE where the model is another one.
 */
export async function supersedeMemory(
  tx: EnvironmentTransaction,
  memoryId: string,
  change: MemoryChange,
  embedded: Embedded | null,
): Promise<string> {
  const locked = await lockChain(tx, memoryId, 'change');
  if (locked === null) throw notFound('memory');
  refuseStale(memoryId, locked);
  const expected = await holdCollection(tx, locked.collectionId);
  if (expected === null) throw notFound('memory');
  if (embedded !== null) refuseOtherModel(expected, embedded);
  const before = await readBefore(tx, memoryId);
  const validFrom = change.validFrom ?? null;
  const { validTo: _, embedding, ...kept } = before;
  const [id] = await storeMemories(
    tx,
    locked.collectionId,
    [
      {
        ...kept,
        content: change.content ?? before.content,
        kind: change.kind ?? before.kind,
        metadata: change.metadata ?? before.metadata,
        expiresAt: change.expiresAt === undefined ? before.expiresAt : change.expiresAt,
        validFrom,
        validTo: endOf(change, before),
        vector: embedded?.vectors[0] ?? Float32Array.from(embedding ?? []),
      },
    ],
    { chainId: locked.chainId, version: locked.newest.version + 1 },
  );
  if (id === undefined) throw new Error('a version was stored without an id');
  if (change.expiresAt !== undefined) {
    await tx.raw('supersede_memory', 'UPDATE memories SET expires_at = ? WHERE chain_id = ?', [
      change.expiresAt,
      locked.chainId,
    ]);
  }
  return id;
}

/** @throws {ServiceError} as `supersedeMemory` does, for what can be known before the new content is embedded. */
export async function checkSupersedable(tx: EnvironmentTransaction, memoryId: string): Promise<void> {
  const found = await lockChain(tx, memoryId, 'derive');
  if (found === null) throw notFound('memory');
  refuseStale(memoryId, found);
}

function refuseStale(memoryId: string, { newest }: LockedMemory): void {
  if (newest.id !== memoryId) {
    const message = `This memory is superseded: its newest version is ${newest.id}. Read that one, and change it where that is still right.`;
    throw new ServiceError('CONFLICT', { message });
  }
  if (newest.version >= VERSIONS_MAX) {
    const message = `A memory has at most ${VERSIONS_MAX} versions. Store a new one, with this one as its source.`;
    throw new ServiceError('CONFLICT', { message });
  }
}

/** The end of the version before holds on where it lies ahead. */
function endOf({ validFrom = new Date(), validTo }: MemoryChange, before: Before): Date | null {
  if (validTo === undefined) return before.validTo !== null && before.validTo > validFrom ? before.validTo : null;
  if (validTo === null || validTo > validFrom) return validTo;
  throw validationError([{ path: 'body.validTo', message: 'must be after validFrom' }]);
}

async function readBefore(tx: EnvironmentTransaction, id: string): Promise<Before> {
  const before = await tx.row<Before>(
    'read_before',
    `SELECT m.kind, m.content, m.user_id AS "userId", m.agent_id AS "agentId", m.session_id AS "sessionId",
       CASE WHEN m.source_type IS NULL THEN NULL ELSE jsonb_build_object('type', m.source_type, 'id', m.source_id) END AS source,
       m.metadata, m.valid_to AS "validTo", m.expires_at AS "expiresAt", v.embedding
     FROM memories m LEFT JOIN memory_vectors v ON v.memory_id = m.id WHERE m.id = ?`,
    [id],
  );
  if (before === null) throw new Error(`memory ${id} was locked and is gone`);
  return before;
}

/** Ends the time of a memory's chain: from the commit on nobody sees it, adds to it, or derives from it. */
export async function expireMemory(tx: EnvironmentTransaction, id: string): Promise<void> {
  const locked = await lockChain(tx, id, 'change');
  if (locked !== null)
    await tx.raw('expire_memory', 'UPDATE memories SET expires_at = now() WHERE chain_id = ?', [locked.chainId]);
}
