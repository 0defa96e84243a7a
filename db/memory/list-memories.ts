import type { EnvironmentTransaction } from '../client.ts';
import { conditionsOf, type Wanted } from './conditions.ts';
import { MEMORY_COLUMNS, MEMORY_COLUMNS_AS_OF, type MemoryRecord } from './records.ts';

/** One page of memories, the one recorded last first; as of a moment, as they were recorded then. */
export async function listMemories(
  tx: EnvironmentTransaction,
  wanted: Wanted,
  page: { limit: number; offset: number },
): Promise<{ items: MemoryRecord[]; total: number }> {
  const { sql, bindings } = conditionsOf(wanted);
  const columns = wanted.moment?.asOf === undefined ? MEMORY_COLUMNS : MEMORY_COLUMNS_AS_OF;
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM memories m WHERE ${sql}`,
    bindings,
  );
  const { rows } = await tx.raw<{ rows: MemoryRecord[] }>(
    `SELECT ${columns} FROM memories m WHERE ${sql} ORDER BY m.created_at DESC, m.id DESC LIMIT :limit OFFSET :offset`,
    { ...bindings, ...page },
  );
  return { items: rows, total: counted.rows[0]?.total ?? 0 };
}
