import { type Embedded, refuseOtherModel } from '../../domain/embeddings/embedder.ts';
import { notFound, ServiceError, validationError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { type MemoryKind, VERSIONS_MAX } from '../../domain/memory/memories.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { holdCollection } from './collections.ts';
import { type LockedMemory, lockChain } from './lock-chain.ts';
import { storeMemories } from './store-memories.ts';

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
    await tx.raw('UPDATE memories SET expires_at = ? WHERE chain_id = ?', [change.expiresAt, locked.chainId]);
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
  const { rows } = await tx.raw<{ rows: Before[] }>(
    `SELECT m.kind, m.content, m.user_id AS "userId", m.agent_id AS "agentId", m.session_id AS "sessionId",
       CASE WHEN m.source_type IS NULL THEN NULL ELSE jsonb_build_object('type', m.source_type, 'id', m.source_id) END AS source,
       m.metadata, m.valid_to AS "validTo", m.expires_at AS "expiresAt", v.embedding
     FROM memories m LEFT JOIN memory_vectors v ON v.memory_id = m.id WHERE m.id = ?`,
    [id],
  );
  const before = rows[0];
  if (before === undefined) throw new Error(`memory ${id} was locked and is gone`);
  return before;
}
