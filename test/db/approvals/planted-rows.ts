import type { Client } from 'pg';
import type { Tenant } from '../../../db/client.ts';
import { newId } from '../../../domain/ids.ts';
import { plantApiKey } from '../api-keys/planted-rows.ts';
import { DIGEST, insert, type PlantedArea, type Values } from '../harness/plant.ts';

/** Inserts a pending free-standing approval that needs two approvers, unless `over` says otherwise; returns its id. */
export async function plantApproval(owner: Client, { environmentId }: Tenant, over: Values = {}): Promise<string> {
  const id = newId('approval');
  await insert(owner, 'approvals', {
    id,
    environment_id: environmentId,
    kind: 'free_standing',
    title: 'planted',
    summary: 'planted',
    payload: {},
    binding_digest: DIGEST,
    source: 'caller',
    reason: 'planted',
    quorum: 2,
    approvers: '[{}]',
    prevent_self: true,
    requested_by: {},
    expires_at: new Date(Date.now() + 3_600_000),
    ...over,
  });
  return id;
}

export const rows: PlantedArea = {
  /** A free-standing approval that one of two approvers has approved. */
  async plant(owner, tenant) {
    const approval_id = await plantApproval(owner, tenant);
    await insert(owner, 'approval_decisions', {
      approval_id,
      actor_type: 'api_key',
      actor_id: await plantApiKey(owner, tenant),
      environment_id: tenant.environmentId,
      decision: 'approve',
      binding_digest: DIGEST,
      authentication: {},
    });
  },
};
