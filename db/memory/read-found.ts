import type { EnvironmentTransaction } from '../client.ts';
import { MEMORY_COLUMNS, MEMORY_COLUMNS_AS_OF, type MemoryRecord } from './records.ts';

/** The records of what a search found, by their ids; without those that were deleted meanwhile. */
export async function readFound(
  tx: EnvironmentTransaction,
  ids: readonly string[],
  asOf: Date | undefined,
): Promise<Map<string, MemoryRecord>> {
  const columns = asOf === undefined ? MEMORY_COLUMNS : MEMORY_COLUMNS_AS_OF;
  const { rows } = await tx.raw<{ rows: MemoryRecord[] }>(
    `SELECT ${columns} FROM memories m WHERE m.id = ANY (:ids)`,
    asOf === undefined ? { ids } : { ids, asOf },
  );
  return new Map(rows.map((row) => [row.id, row]));
}
