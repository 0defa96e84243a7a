import type { Client } from 'pg';
import type { Tenant } from '../../../db/client.ts';
import { newId } from '../../../domain/ids.ts';
import { plantAction } from '../actions/planted-rows.ts';
import { CAPABILITIES, DIGEST, insert, type PlantedArea, type Values } from '../harness/plant.ts';
import { plantInvocation } from '../invocations/planted-rows.ts';

export async function plantEffect(
  owner: Client,
  tenant: Tenant,
  of: { invocationId: string; versionId: string },
  over: Values = {},
): Promise<string> {
  const id = newId('effect');
  await insert(owner, 'effects', {
    id,
    environment_id: tenant.environmentId,
    invocation_id: of.invocationId,
    operation_key: of.invocationId,
    action_name: 'planted',
    version_id: of.versionId,
    adapter_type: 'http.request',
    adapter_version: '1',
    capabilities: CAPABILITIES,
    target: {},
    request: {},
    request_digest: DIGEST,
    impact: '[]',
    stage: 'ready',
    ...over,
  });
  return id;
}

/** A new effect of a new action. */
export async function plantNewEffect(
  owner: Client,
  tenant: Tenant,
): Promise<{ effectId: string; invocationId: string }> {
  const action = await plantAction(owner, tenant);
  const invocationId = await plantInvocation(owner, tenant, action);
  const effectId = await plantEffect(owner, tenant, { invocationId, versionId: action.versionId });
  return { effectId, invocationId };
}

export const rows: PlantedArea = {
  async plant(owner, tenant) {
    const { effectId } = await plantNewEffect(owner, tenant);
    await insert(owner, 'evidence', {
      id: newId('evidence'),
      environment_id: tenant.environmentId,
      effect_id: effectId,
      source: 'system',
      observed_at: new Date(0),
      summary: 'planted',
      actor_type: 'system',
    });
  },
  canBegin: { effects: `stage = 'ready'` },
  writtenByDatabase: ['receipt_chains', 'receipt_entries'],
  writtenBeside: { effects: null, evidence: 'actor_id = $1', receipt_chains: null, receipt_entries: null },
};
