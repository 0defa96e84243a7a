import { DERIVED_FROM_MEMORY } from '../../domain/memory/memories.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * Deletes the whole chains of memories, and whatever was derived from any version of them, however far. Returns how many memories that
 * were. Chains are locked before they go: a version or a derived memory that is being added is either seen here, or finds its
 * chain gone.
 */
export async function deleteMemories(tx: EnvironmentTransaction, ids: readonly string[]): Promise<number> {
  const doomed = new Set<string>();
  let chains = await lockChainsOf(tx, ids);
  while (chains.length > 0) {
    for (const chain of chains) doomed.add(chain);
    chains = await lockDerived(tx, chains, [...doomed]);
  }
  if (doomed.size === 0) return 0;
  const { rows } = await tx.raw<{ rows: { n: number }[] }>(
    `WITH gone AS (DELETE FROM memories WHERE chain_id = ANY (:chains) RETURNING id) SELECT count(*)::int AS n FROM gone`,
    { chains: [...doomed] },
  );
  return rows[0]?.n ?? 0;
}

async function lockChainsOf(tx: EnvironmentTransaction, ids: readonly string[]): Promise<string[]> {
  const { rows } = await tx.raw<{ rows: { id: string }[] }>(
    `SELECT r.id FROM memories r WHERE r.id IN (SELECT m.chain_id FROM memories m WHERE m.id = ANY (:ids)) ORDER BY r.id FOR UPDATE`,
    { ids },
  );
  return rows.map(({ id }) => id);
}

async function lockDerived(
  tx: EnvironmentTransaction,
  chains: readonly string[],
  known: readonly string[],
): Promise<string[]> {
  const { rows } = await tx.raw<{ rows: { id: string }[] }>(
    `SELECT r.id FROM memories r WHERE r.id <> ALL (CAST(:known AS text[])) AND r.id IN (
       SELECT d.chain_id FROM memories v JOIN memories d ON d.source_id = v.id AND d.environment_id = v.environment_id
       WHERE v.chain_id = ANY (:chains) AND d.source_type = :type) ORDER BY r.id FOR UPDATE`,
    { chains, known, type: DERIVED_FROM_MEMORY },
  );
  return rows.map(({ id }) => id);
}
