import type { EnvironmentTransaction } from '../client.ts';
import { conditionsOf, type Wanted } from './conditions.ts';
import { type Deleted, deleteMemories } from './delete-memories.ts';

/**
 * Deletes the chains of the memories that a filter finds and that were recorded until `until`, with what was derived from them: up to
 * `most` chains. Where any version matches, the whole chain goes. Expired ones count too, since nothing of them may stay.
 */
export async function forgetMemories(
  tx: EnvironmentTransaction,
  wanted: Pick<Wanted, 'collectionIds' | 'filter'>,
  { until, most }: { until: Date | null; most: number },
): Promise<Deleted> {
  const { sql, bindings } = conditionsOf({ ...wanted, moment: null, includeSuperseded: true, includeExpired: true });
  const { rows } = await tx.raw<{ rows: { chainId: string }[] }>(
    `SELECT DISTINCT m.chain_id AS "chainId" FROM memories m
     WHERE ${sql} AND (CAST(:until AS timestamptz) IS NULL OR m.created_at <= :until) LIMIT :most`,
    { ...bindings, until, most },
  );
  const chains = rows.map(({ chainId }) => chainId);
  const { deleted, isWhole } = await deleteMemories(tx, chains, most);
  return { deleted, isWhole: isWhole && chains.length < most };
}
