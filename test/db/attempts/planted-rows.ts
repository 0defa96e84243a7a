import type { Client } from 'pg';
import type { Tenant } from '../../../db/client.ts';
import { newId } from '../../../domain/ids.ts';
import { plantAction } from '../actions/planted-rows.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';
import { plantInvocation } from '../invocations/planted-rows.ts';

/** The first attempt of an invocation, not claimed. */
export async function plantAttempt(owner: Client, tenant: Tenant, invocationId: string): Promise<string> {
  const id = newId('attempt');
  await insert(owner, 'attempts', {
    id,
    environment_id: tenant.environmentId,
    invocation_id: invocationId,
    number: 1,
    kind: 'dispatch',
  });
  return id;
}

export const rows: PlantedArea = {
  async plant(owner, tenant) {
    const invocationId = await plantInvocation(owner, tenant, await plantAction(owner, tenant));
    await plantAttempt(owner, tenant, invocationId);
  },
  writtenBeside: { attempts: null },
};
