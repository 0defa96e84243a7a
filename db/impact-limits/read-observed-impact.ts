import type { ImpactDeclaration, ImpactQuantity } from '../../domain/actions.ts';
import { observedImpact, type ObservedResponse } from '../../domain/impact-limits/observe.ts';
import type { SettledImpact } from '../../domain/impact-limits/settle.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * What the accepting response says the effect used. Null where the action declares nothing to observe, or where no response
 * accepted it: an effect that a read-back found is settled in full. A response can hold megabytes, so it is read only where a
 * declaration points into it.
 */
export async function readObservedImpact(tx: EnvironmentTransaction, effectId: string): Promise<SettledImpact | null> {
  const { rows } = await tx.raw<{
    rows: { declarations: ImpactDeclaration[]; impact: ImpactQuantity[]; response: ObservedResponse | null }[];
  }>(
    `SELECT v.definition -> 'impact' AS declarations, e.impact, (
         SELECT COALESCE(l.response, a.response) FROM attempts a LEFT JOIN late_answers l ON l.attempt_id = a.id
         WHERE a.invocation_id = e.invocation_id AND a.kind IN ('dispatch', 'replay')
           AND CASE WHEN l.attempt_id IS NULL THEN a.observed_outcome ELSE l.observed_outcome END = 'succeeded'
         ORDER BY a.number DESC LIMIT 1) AS response
     FROM effects e JOIN action_versions v ON v.id = e.version_id
     WHERE e.id = ? AND jsonb_path_exists(v.definition, '$.impact[*].observed')`,
    [effectId],
  );
  const [row] = rows;
  return row ? observedImpact(row.declarations, row.impact, row.response) : null;
}
