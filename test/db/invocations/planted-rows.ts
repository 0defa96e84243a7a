import type { Client } from 'pg';
import type { Tenant } from '../../../db/client.ts';
import { newId } from '../../../domain/ids.ts';
import { type PlantedAction, plantAction } from '../actions/planted-rows.ts';
import { DIGEST, insert, type PlantedArea } from '../harness/plant.ts';

export async function plantInvocation(owner: Client, tenant: Tenant, of: PlantedAction): Promise<string> {
  const id = newId('invocation');
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

export const rows: PlantedArea = {
  plant: async (owner, tenant) => void (await plantInvocation(owner, tenant, await plantAction(owner, tenant))),
};
