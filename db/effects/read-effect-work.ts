import type { ActionDefinition } from '../../domain/actions.ts';
import type { ProviderResponse } from '../../domain/adapters/adapter-descriptor.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Outcome } from '../../domain/lifecycle.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** What a read-back needs of an effect. */
export interface EffectWork {
  definition: ActionDefinition;
  input: JsonObject;
  operationKey: string;
  outcome: Outcome;
  dispatchedAt: Date;
  /** A response to the dispatch or to a replay, where one was seen. An accepting response comes before a rejecting one. */
  response: ProviderResponse | null;
  /** The number of reads so far that found nothing. */
  absentReads: number;
}

export async function readEffectWork(tx: EnvironmentTransaction, effectId: string): Promise<EffectWork> {
  const { rows } = await tx.raw<{ rows: EffectWork[] }>(
    `SELECT v.definition, i.input, i.operation_key AS "operationKey", e.outcome, e.first_dispatched_at AS "dispatchedAt",
       (SELECT s.response FROM attempts s WHERE s.invocation_id = i.id AND s.kind IN ('dispatch', 'replay') AND s.response IS NOT NULL
        ORDER BY s.observed_outcome IN ('succeeded', 'pending') DESC, s.number DESC LIMIT 1) AS response, (SELECT count(*)::int FROM evidence p WHERE p.effect_id = e.id AND p.source = 'provider_lookup'
                    AND p.details ->> 'kind' = 'absent') AS "absentReads"
     FROM effects e JOIN invocations i ON i.id = e.invocation_id JOIN action_versions v ON v.id = e.version_id
     WHERE e.id = ? AND e.first_dispatched_at IS NOT NULL`,
    [effectId],
  );
  const work = rows[0];
  if (!work) throw new Error(`effect ${effectId} is gone, or was never dispatched`);
  return work;
}
