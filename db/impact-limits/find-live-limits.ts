import type { ImpactFacts, NamedLimit } from '../../domain/impact-limits/demand.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface LiveLimit extends NamedLimit {
  cap: number;
}

/**
 * The live limits that may apply to these facts, in id order, which is the lock order. Limits that differ only by a name are
 * filtered here, so that an environment with many limits of agents or keys returns few of them. `appliesTo` decides.
 */
export async function findLiveLimits(tx: EnvironmentTransaction, facts: ImpactFacts): Promise<LiveLimit[]> {
  const dimensions = [...new Set(facts.impact.flatMap(({ dimension, amount }) => (amount > 0 ? [dimension] : [])))];
  if (dimensions.length === 0) return [];
  const { rows } = await tx.raw<{ rows: LiveLimit[] }>(
    `SELECT id, name, dimension, currency, CAST(cap AS float8) AS cap, period, timezone, scope FROM impact_limits
     WHERE environment_id = current_environment_id() AND archived_at IS NULL AND dimension = ANY(:dimensions)
       AND (NOT jsonb_exists(scope, 'agentIds') OR jsonb_exists(scope -> 'agentIds', :agentId))
       AND (NOT jsonb_exists(scope, 'apiKeys') OR jsonb_exists(scope -> 'apiKeys', :apiKeyId))
     ORDER BY id`,
    { dimensions, agentId: facts.agentId, apiKeyId: facts.apiKeyId },
  );
  return rows;
}
