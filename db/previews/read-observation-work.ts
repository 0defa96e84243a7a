import type { ActionDefinition } from '../../domain/actions.ts';
import type { RequestIdentity } from '../../domain/adapters/adapter-descriptor.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface ObservationWork {
  definition: ActionDefinition;
  input: JsonObject;
  identity: RequestIdentity;
}

type Row = Omit<ObservationWork, 'identity'> & RequestIdentity;

/** The part of an invocation that an inspection needs. Before its effect exists, `effectId` is the id that its preview reserved. */
export async function readObservationWork(tx: EnvironmentTransaction, invocationId: string): Promise<ObservationWork> {
  const { rows } = await tx.raw<{ rows: Row[] }>(
    `SELECT v.definition, i.input, i.id AS "invocationId", i.operation_key AS "operationKey",
       COALESCE(i.effect_id, p.effect_id, i.id) AS "effectId"
     FROM invocations i JOIN action_versions v ON v.id = i.version_id LEFT JOIN previews p ON p.id = i.preview_id
     WHERE i.id = ?`,
    [invocationId],
  );
  const row = rows[0];
  if (row === undefined) throw new Error(`invocation ${invocationId} is gone`);
  const { definition, input, ...identity } = row;
  return { definition, input, identity };
}
