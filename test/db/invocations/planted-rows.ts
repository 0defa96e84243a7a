import type { Client } from 'pg';
import type { Tenant } from '../../../db/client.ts';
import { newId } from '../../../domain/ids.ts';
import { type PlantedAction, plantAction } from '../actions/planted-rows.ts';
import { DIGEST, insert, type PlantedArea } from '../harness/plant.ts';

export async function plantInvocation(
  owner: Client,
  tenant: Tenant,
  of: PlantedAction,
  id = newId('invocation'),
): Promise<string> {
  await insert(owner, 'invocations', {
    id,
    environment_id: tenant.environmentId,
    action_id: of.actionId,
    version_id: of.versionId,
    operation_key: id,
    request_digest: DIGEST,
    input: {},
    requested_by: {},
  });
  return id;
}

/**
 * The columns that the database requires beside a status that is written past its triggers: `SET status = $1,
 * ${refusalOf('$1')}`.
 */
export function refusalOf(status: string): string {
  const isRefused = `${status} IN ('refused', 'denied', 'expired', 'cancelled', 'failed', 'unknown')`;
  return `refusal_code = CASE WHEN ${isRefused} THEN 'planted' END, refusal_details = CASE WHEN ${isRefused} THEN '{}'::jsonb END`;
}

export const rows: PlantedArea = {
  plant: async (owner, tenant) => void (await plantInvocation(owner, tenant, await plantAction(owner, tenant))),
  writtenBeside: { invocations: "requested_by ->> 'id' = $1" },
};
