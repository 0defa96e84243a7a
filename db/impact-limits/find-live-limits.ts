import type { ImpactQuantity } from '../../domain/actions.ts';
import type { NamedLimit } from '../../domain/impact-limits/demand.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface LiveLimit extends NamedLimit {
  cap: number;
}

/** The live limits that could count these quantities, by id: the order in which they are locked. */
export async function findLiveLimits(
  tx: EnvironmentTransaction,
  impact: readonly ImpactQuantity[],
): Promise<LiveLimit[]> {
  const dimensions = [...new Set(impact.map(({ dimension }) => dimension))];
  if (dimensions.length === 0) return [];
  const { rows } = await tx.raw<{ rows: LiveLimit[] }>(
    `SELECT id, name, dimension, currency, CAST(cap AS float8) AS cap, period, timezone, scope FROM impact_limits
     WHERE environment_id = current_environment_id() AND archived_at IS NULL AND dimension = ANY(?) ORDER BY id`,
    [dimensions],
  );
  return rows;
}
