import type { EnvironmentTransaction } from '../client.ts';
import { conditionsOf, type Wanted } from './conditions.ts';
import { deleteMemories } from './delete-memories.ts';

export interface Forgotten {
  /** Memories that were deleted: every version, and what was derived. */
  deleted: number;
  /** Chains that were found; fewer than `most`: none is left. */
  found: number;
}

/**
 * Deletes the chains of up to `most` memories that a filter finds and that were recorded until `until`: where any version matches, the
 * whole chain goes. Expired ones count too, since nothing of them may stay.
 */
export async function forgetMemories(
  tx: EnvironmentTransaction,
  wanted: Pick<Wanted, 'collectionIds' | 'filter'>,
  { until, most }: { until: Date | null; most: number },
): Promise<Forgotten> {
  const { sql, bindings } = conditionsOf({ ...wanted, moment: null, includeSuperseded: true, includeExpired: true });
  const { rows } = await tx.raw<{ rows: { chainId: string }[] }>(
    `SELECT DISTINCT m.chain_id AS "chainId" FROM memories m
     WHERE ${sql} AND (CAST(:until AS timestamptz) IS NULL OR m.created_at <= :until) LIMIT :most`,
    { ...bindings, until, most },
  );
  const deleted = await deleteMemories(
    tx,
    rows.map(({ chainId }) => chainId),
  );
  return { deleted, found: rows.length };
}
