import type { EnvironmentTransaction } from '../client.ts';
import { lockChain } from './lock-chain.ts';

/** Ends the time of a memory's chain: from the commit on nobody sees it, adds to it, or derives from it. */
export async function expireMemory(tx: EnvironmentTransaction, id: string): Promise<void> {
  const locked = await lockChain(tx, id, 'change');
  if (locked !== null) await tx.raw('UPDATE memories SET expires_at = now() WHERE chain_id = ?', [locked.chainId]);
}
