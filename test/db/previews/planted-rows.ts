import { newId } from '../../../domain/ids.ts';
import { plantAction } from '../actions/planted-rows.ts';
import { CAPABILITIES, DIGEST, insert, type PlantedArea } from '../harness/plant.ts';
import { plantInvocation } from '../invocations/planted-rows.ts';

export const rows: PlantedArea = {
  writtenByDatabase: ['unused_previews'],
  /** An unused preview, a draft, and an observation for an invocation. */
  async plant(owner, tenant) {
    const environment_id = tenant.environmentId;
    const of = await plantAction(owner, tenant);
    const invocationId = await plantInvocation(owner, tenant, of);
    await insert(owner, 'previews', {
      id: newId('preview'),
      environment_id,
      action_id: of.actionId,
      version_id: of.versionId,
      adapter_type: 'http.request',
      adapter_version: '1',
      invocation_id: newId('invocation'),
      effect_id: newId('effect'),
      input: {},
      capabilities: CAPABILITIES,
      target: {},
      request: {},
      request_digest: DIGEST,
      impact: '[]',
      blocks: '[]',
      preconditions: {},
      binding_digest: DIGEST,
      evidence_observed_at: new Date(),
      expires_at: new Date(),
      made_by: 'caller',
      created_by: {},
    });
    await insert(owner, 'preview_drafts', {
      id: newId('preview'),
      environment_id,
      version_id: of.versionId,
      invocation_id: newId('invocation'),
      effect_id: newId('effect'),
      operation_key: 'planted',
      input: {},
    });
    await insert(owner, 'observations', {
      invocation_id: invocationId,
      sequence: 1,
      environment_id,
      observed_at: new Date(),
      preconditions: {},
      blocks: '[]',
      summary: 'planted',
    });
  },
  writtenBeside: { observations: null },
};
