import type { EnvironmentTransaction } from '../client.ts';
import { IS_THERE, MEMORY_COLUMNS, type MemoryRecord } from './records.ts';

/** Null where there is none, or it has expired. A superseded version is there. */
export async function getMemory(tx: EnvironmentTransaction, id: string): Promise<MemoryRecord | null> {
  const { rows } = await tx.raw<{ rows: MemoryRecord[] }>(
    `SELECT ${MEMORY_COLUMNS} FROM memories m WHERE m.id = ? AND ${IS_THERE}`,
    [id],
  );
  return rows[0] ?? null;
}
