import type { EnvironmentTransaction } from '../client.ts';
import { IS_THERE } from './records.ts';

export interface LockedMemory {
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
  const { rows: roots } = await tx.raw<{ rows: { id: string }[] }>(
    `SELECT r.id FROM memories r WHERE r.id = (SELECT m.chain_id FROM memories m WHERE m.id = ? AND ${IS_THERE})
     ${to === 'change' ? 'FOR NO KEY UPDATE' : 'FOR KEY SHARE'}`,
    [id],
  );
  const chainId = roots[0]?.id;
  if (chainId === undefined) return null;
  // A separate statement, so that it sees what was committed while this transaction waited for the lock. Time has passed too: if the
  // chain has expired meanwhile, the sweep may have deleted a part of it.
  const { rows } = await tx.raw<{ rows: { id: string; version: number; collectionId: string }[] }>(
    `SELECT id, version, collection_id AS "collectionId" FROM memories WHERE chain_id = ?
       AND (expires_at IS NULL OR expires_at > clock_timestamp()) ORDER BY version DESC LIMIT 1`,
    [chainId],
  );
  const newest = rows[0];
  return newest === undefined ? null : { chainId, collectionId: newest.collectionId, newest };
}
