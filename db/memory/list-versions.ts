import type { EnvironmentTransaction } from '../client.ts';
import { IS_THERE, MEMORY_COLUMNS, type MemoryRecord } from './records.ts';

/** A page of all versions of a memory's chain, the one recorded last first. Null where the memory is not there. */
export async function listMemoryVersions(
  tx: EnvironmentTransaction,
  id: string,
  page: { limit: number; offset: number },
): Promise<{ items: MemoryRecord[]; total: number } | null> {
  const { rows: found } = await tx.raw<{ rows: { chainId: string; total: number }[] }>(
    `SELECT m.chain_id AS "chainId", (SELECT count(*)::int FROM memories v WHERE v.chain_id = m.chain_id) AS total
     FROM memories m WHERE m.id = ? AND ${IS_THERE}`,
    [id],
  );
  const chain = found[0];
  if (chain === undefined) return null;
  const { rows } = await tx.raw<{ rows: MemoryRecord[] }>(
    `SELECT ${MEMORY_COLUMNS} FROM memories m WHERE m.chain_id = :chainId ORDER BY m.version DESC LIMIT :limit OFFSET :offset`,
    { chainId: chain.chainId, ...page },
  );
  return { items: rows, total: chain.total };
}
