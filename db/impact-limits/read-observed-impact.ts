import type { ActionDefinition, ImpactQuantity } from '../../domain/actions.ts';
import type { ProviderResponse } from '../../domain/adapters/adapter-descriptor.ts';
import { ADAPTER_DESCRIPTORS, findDescriptor } from '../../domain/adapters/index.ts';
import { observedImpact } from '../../domain/impact-limits/observe.ts';
import type { SettledImpact } from '../../domain/impact.ts';
import type { EnvironmentTransaction } from '../client.ts';

const REPORTING_ADAPTERS = [
  ...new Set(ADAPTER_DESCRIPTORS.flatMap(({ type, observedImpact: reports }) => (reports === undefined ? [] : [type]))),
];

/**
 * What the accepting response says the effect used. Null where neither the action nor its adapter observes anything, or where
 * no response accepted it: an effect that a read-back found is settled in full. A response can hold megabytes, so it is read
 * only where an upper bound may come down by it.
 */
export async function readObservedImpact(tx: EnvironmentTransaction, effectId: string): Promise<SettledImpact | null> {
  const { rows } = await tx.raw<{
    rows: { definition: ActionDefinition; impact: ImpactQuantity[]; response: ProviderResponse | null }[];
  }>(
    `SELECT v.definition, e.impact, (
         SELECT COALESCE(l.response, a.response) FROM attempts a LEFT JOIN late_answers l ON l.attempt_id = a.id
         WHERE a.invocation_id = e.invocation_id AND a.kind IN ('dispatch', 'replay')
           AND CASE WHEN l.attempt_id IS NULL THEN a.observed_outcome ELSE l.observed_outcome END = 'succeeded'
         ORDER BY a.number DESC LIMIT 1) AS response
     FROM effects e JOIN action_versions v ON v.id = e.version_id
     WHERE e.id = ? AND e.impact @> '[{"bound": "upper_bound"}]'
       AND (jsonb_path_exists(v.definition, '$.impact[*].observed') OR v.definition #>> '{adapter,type}' = ANY(?))`,
    [effectId, REPORTING_ADAPTERS],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { definition, impact, response } = row;
  const descriptor = findDescriptor(definition.adapter.type, definition.adapter.version);
  const reported = response === null ? null : (descriptor?.observedImpact?.(definition, response) ?? null);
  return observedImpact({ declarations: definition.impact, reported }, impact, response);
}
