import { ServiceError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import type { EmbeddingModel } from '../../domain/embeddings/embedder.ts';
import { COLLECTIONS_MAX, DEFAULT_COLLECTION_NAME } from '../../domain/memory/memories.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { conflictWhereTaken } from '../names.ts';
import { COLLECTION_COLUMNS, type CollectionRecord } from './records.ts';

export interface NewCollection {
  name: string;
  description: string | null;
  /** Its vectors are of this model for good. */
  embedding: EmbeddingModel;
}

/** @throws {ServiceError} CONFLICT where the name is taken, QUOTA_EXCEEDED where the environment has too many. */
export async function createCollection(tx: EnvironmentTransaction, wanted: NewCollection): Promise<CollectionRecord> {
  await lockCollections(tx);
  const id = await insertCollection(tx, wanted);
  if (id === null) throw new ServiceError('CONFLICT', { message: takenMessage(wanted.name) });
  return getCreated(tx, id);
}

/**
 * The collection of a request that names none, made if it is not there yet. Two requests at once make one.
 *
 * @throws {ServiceError} QUOTA_EXCEEDED where it is not there and the environment has too many.
 */
export async function ensureDefaultCollection(tx: EnvironmentTransaction, embedding: EmbeddingModel): Promise<string> {
  const find = async (): Promise<string | null> => {
    const row = await tx.row<{ id: string }>(
      'ensure_default_collection',
      `SELECT id FROM memory_collections
       WHERE environment_id = current_environment_id() AND name = ? AND deleted_at IS NULL`,
      [DEFAULT_COLLECTION_NAME],
    );
    return row?.id ?? null;
  };
  const found = await find();
  if (found !== null) return found;
  await lockCollections(tx);
  const made =
    // Another request may have made the last one that there was room for.
    (await find()) ??
    (await insertCollection(tx, { name: DEFAULT_COLLECTION_NAME, description: null, embedding })) ??
    (await find());
  if (made === null) throw new Error('the default collection was made by another request, and is gone again');
  return made;
}

/** Serializes who makes collections: two requests that counted at the same time would both miss the other's. */
async function lockCollections(tx: EnvironmentTransaction): Promise<void> {
  await tx.raw(
    'lock_collections',
    "SELECT pg_advisory_xact_lock(hashtextextended('memory-collections/' || current_environment_id(), 0))",
  );
}

async function requireRoom(tx: EnvironmentTransaction): Promise<void> {
  const row = await tx.row<{ n: number }>(
    'memory_require_room',
    'SELECT count(*)::int AS n FROM memory_collections WHERE environment_id = current_environment_id() AND deleted_at IS NULL',
  );
  if ((row?.n ?? 0) < COLLECTIONS_MAX) return;
  const message = `An environment has at most ${COLLECTIONS_MAX} collections. Delete one, or tell memories apart by their metadata.`;
  throw new ServiceError('QUOTA_EXCEEDED', { message });
}

/** Behind `lockCollections`. Null where the name is taken. */
async function insertCollection(
  tx: EnvironmentTransaction,
  { name, description, embedding: { model, dimensions } }: NewCollection,
): Promise<string | null> {
  await requireRoom(tx);
  const row = await tx.row<{ id: string }>(
    'insert_collection',
    `INSERT INTO memory_collections (id, environment_id, name, description, embedding_model, embedding_dimensions)
     VALUES (:id, current_environment_id(), :name, :description, :model, :dimensions)
     ON CONFLICT (environment_id, name) WHERE deleted_at IS NULL DO NOTHING RETURNING id`,
    { id: newId('collection'), name, description, model, dimensions },
  );
  return row?.id ?? null;
}

async function getCreated(tx: EnvironmentTransaction, id: string): Promise<CollectionRecord> {
  const made = await getCollection(tx, id);
  if (made === null) throw new Error(`collection ${id} was made and is gone`);
  return made;
}

/** Null where there is none, or it is deleted. */
export async function getCollection(tx: EnvironmentTransaction, id: string): Promise<CollectionRecord | null> {
  return tx.row<CollectionRecord>(
    'get_collection',
    `SELECT ${COLLECTION_COLUMNS} FROM memory_collections c WHERE c.id = ? AND c.deleted_at IS NULL`,
    [id],
  );
}

export async function listCollections(
  tx: EnvironmentTransaction,
  asked: { name?: string | undefined } & Range,
): Promise<Page<CollectionRecord>> {
  return pageOf(tx, {
    name: 'list_collections',
    columns: COLLECTION_COLUMNS,
    from: 'memory_collections c',
    where: 'c.environment_id = current_environment_id() AND c.deleted_at IS NULL',
    filters: { name: 'c.name = :name' },
    order: 'c.created_at DESC, c.id DESC',
    asked,
  });
}

/** Null where there is none. @throws {ServiceError} CONFLICT where the name is taken. */
export async function updateCollection(
  tx: EnvironmentTransaction,
  id: string,
  change: { name?: string | undefined; description?: string | null | undefined },
): Promise<CollectionRecord | null> {
  const before = await lockCollection(tx, id);
  if (before === null) return null;
  const { name = before.name, description = before.description } = change;
  await tx
    .raw(
      'update_collection',
      'UPDATE memory_collections SET name = ?, description = ?, updated_at = now() WHERE id = ?',
      [name, description, id],
    )
    .catch(conflictWhereTaken('memory_collections_by_name', takenMessage(name)));
  return getCreated(tx, id);
}

/** Until the transaction ends nobody stores anything there. Null where there is none. */
export async function lockCollection(
  tx: EnvironmentTransaction,
  id: string,
): Promise<{ name: string; description: string | null } | null> {
  return tx.row<{ name: string; description: string | null }>(
    'lock_collection',
    'SELECT name, description FROM memory_collections WHERE id = ? AND deleted_at IS NULL FOR NO KEY UPDATE',
    [id],
  );
}

/** From the commit on nobody sees the collection or its memories. The memories are deleted by the same request, or by a job. */
export async function markCollectionDeleted(tx: EnvironmentTransaction, id: string): Promise<void> {
  await tx.raw(
    'mark_collection_deleted',
    'UPDATE memory_collections SET deleted_at = now(), updated_at = now() WHERE id = ?',
    [id],
  );
}

/** Keeps a collection from being deleted until the transaction ends. Null where there is none. */
export async function holdCollection(tx: EnvironmentTransaction, id: string): Promise<EmbeddingModel | null> {
  return tx.row<EmbeddingModel>(
    'hold_collection',
    `SELECT embedding_model AS model, embedding_dimensions AS dimensions FROM memory_collections
     WHERE id = ? AND deleted_at IS NULL FOR SHARE`,
    [id],
  );
}

export interface SearchedCollection extends EmbeddingModel {
  id: string;
  /** PostgreSQL has pgvector, now. An operator may make and drop the extension at any time. */
  hasExtension: boolean;
}

/** The collections that are there: those that are named, or all. */
export async function findCollections(
  tx: EnvironmentTransaction,
  ids: readonly string[] | null,
): Promise<SearchedCollection[]> {
  return tx.rows<SearchedCollection>(
    'find_collections',
    `SELECT c.id, c.embedding_model AS model, c.embedding_dimensions AS dimensions,
       to_regtype('vector') IS NOT NULL AS "hasExtension"
     FROM memory_collections c
     WHERE c.environment_id = current_environment_id() AND c.deleted_at IS NULL
       AND (CAST(:ids AS text[]) IS NULL OR c.id = ANY (:ids)) ORDER BY c.id`,
    { ids },
  );
}

function takenMessage(name: string): string {
  return `A collection of this environment has the name ${JSON.stringify(name)}. Choose another one.`;
}

/** Deletes a collection that is marked deleted and is empty. Its jobs go with it. */
export async function deleteCollectionRow(tx: EnvironmentTransaction, id: string): Promise<void> {
  await tx.raw('delete_collection_row', 'DELETE FROM memory_collections WHERE id = ? AND deleted_at IS NOT NULL', [id]);
}

export interface VectorCount {
  dimensions: number;
  vectors: number;
}

/** How many vectors of which dimensions an environment has, those of superseded versions too. */
export async function countVectors(tx: EnvironmentTransaction): Promise<VectorCount[]> {
  return tx.rows<VectorCount>(
    'count_vectors',
    `SELECT v.dimensions, count(*)::int AS vectors FROM memory_vectors v
     WHERE v.environment_id = current_environment_id() GROUP BY v.dimensions ORDER BY v.dimensions`,
  );
}
