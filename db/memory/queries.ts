import type { EnvironmentTransaction } from '../client.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import {
  conditionsOf,
  IS_THERE,
  MEMORY_COLUMNS,
  MEMORY_COLUMNS_AS_OF,
  type MemoryRecord,
  type Wanted,
} from './records.ts';

/** Null where there is none, or it has expired. A superseded version is there. */
export async function getMemory(tx: EnvironmentTransaction, id: string): Promise<MemoryRecord | null> {
  return tx.row<MemoryRecord>('get_memory', `SELECT ${MEMORY_COLUMNS} FROM memories m WHERE m.id = ? AND ${IS_THERE}`, [
    id,
  ]);
}

/** One page of memories, the one recorded last first; as of a moment, as they were recorded then. */
export async function listMemories(
  tx: EnvironmentTransaction,
  wanted: Wanted,
  range: Range,
): Promise<Page<MemoryRecord>> {
  const { sql, bindings } = conditionsOf(wanted);
  const columns = wanted.moment?.asOf === undefined ? MEMORY_COLUMNS : MEMORY_COLUMNS_AS_OF;
  return pageOf(tx, {
    name: { variantsOf: 'list_memories' },
    columns,
    from: 'memories m',
    where: sql,
    order: 'm.created_at DESC, m.id DESC',
    asked: { ...bindings, ...range },
  });
}

/** A page of all versions of a memory's chain, the one recorded last first. Null where the memory is not there. */
export async function listMemoryVersions(
  tx: EnvironmentTransaction,
  id: string,
  range: Range,
): Promise<Page<MemoryRecord> | null> {
  const chain = await tx.row<{ chainId: string }>(
    'find_memory_chain',
    `SELECT m.chain_id AS "chainId" FROM memories m WHERE m.id = ? AND ${IS_THERE}`,
    [id],
  );
  if (chain === null) return null;
  return pageOf(tx, {
    name: 'list_memory_versions',
    columns: MEMORY_COLUMNS,
    from: 'memories m',
    where: 'm.chain_id = :chainId',
    order: 'm.version DESC',
    asked: { ...chain, ...range },
  });
}

/** The records of what a search found, by their ids; without those that were deleted meanwhile. */
export async function readFound(
  tx: EnvironmentTransaction,
  ids: readonly string[],
  asOf: Date | undefined,
): Promise<Map<string, MemoryRecord>> {
  const columns = asOf === undefined ? MEMORY_COLUMNS : MEMORY_COLUMNS_AS_OF;
  const rows = await tx.rows<MemoryRecord>(
    { variantsOf: 'read_found' },
    `SELECT ${columns} FROM memories m WHERE m.id = ANY (:ids)`,
    asOf === undefined ? { ids } : { ids, asOf },
  );
  return new Map(rows.map((row) => [row.id, row]));
}
