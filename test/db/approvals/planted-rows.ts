import { newId } from '../../../domain/ids.ts';
import { plantApiKey } from '../api-keys/planted-rows.ts';
import { DIGEST, insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** A free-standing approval that one of two approvers has approved. */
  async plant(owner, tenant) {
    const { environmentId: environment_id } = tenant;
    const approval_id = newId('approval');
    await insert(owner, 'approvals', {
      id: approval_id,
      environment_id,
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
    });
    await insert(owner, 'approval_decisions', {
      approval_id,
      actor_type: 'api_key',
      actor_id: await plantApiKey(owner, tenant),
      environment_id,
      decision: 'approve',
      binding_digest: DIGEST,
      authentication: {},
    });
  },
};
