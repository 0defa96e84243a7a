import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { IS_THERE, MEMORY_COLUMNS, type MemoryRecord } from './records.ts';

/** A page of all versions of a memory's chain, the one recorded last first. Null where the memory is not there. */
export async function listMemoryVersions(
  tx: EnvironmentTransaction,
  id: string,
  range: Range,
): Promise<Page<MemoryRecord> | null> {
  const { rows } = await tx.raw<{ rows: { chainId: string }[] }>(
    `SELECT m.chain_id AS "chainId" FROM memories m WHERE m.id = ? AND ${IS_THERE}`,
    [id],
  );
  const [chain] = rows;
  if (chain === undefined) return null;
  return pageOf(tx, {
    columns: MEMORY_COLUMNS,
    from: 'memories m',
    where: 'm.chain_id = :chainId',
    order: 'm.version DESC',
    asked: { ...chain, ...range },
  });
}
