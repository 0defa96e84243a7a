import type { Client } from 'pg';
import type { Tenant } from '../../../db/client.ts';
import { newId } from '../../../domain/ids.ts';
import { DIGEST, insert, type PlantedArea } from '../harness/plant.ts';

/** The ids and names of an action that the rows of other areas refer to. */
export interface PlantedAction {
  actionId: string;
  versionId: string;
}

export async function plantAction(owner: Client, tenant: Tenant): Promise<PlantedAction> {
  const [actionId, versionId] = [newId('action'), newId('actionVersion')];
  const environment_id = tenant.environmentId;
  await owner.query('BEGIN'); // the action names its version and the version its action; the commit checks both
  await insert(owner, 'actions', {
    id: actionId,
    environment_id,
    name: `planted-${actionId.toLowerCase()}`,
    current_version_id: versionId,
  });
  await insert(owner, 'action_versions', {
    id: versionId,
    environment_id,
    action_id: actionId,
    number: 1,
    digest: DIGEST,
    definition: {},
    created_by: {},
  });
  await owner.query('COMMIT');
  return { actionId, versionId };
}

export const rows: PlantedArea = {
  /** An action, and the name that it gave up while it was governed. */
  async plant(owner, tenant) {
    const { actionId } = await plantAction(owner, tenant);
    await insert(owner, 'governed_names', {
      environment_id: tenant.environmentId,
      name: `left.${actionId.toLowerCase()}`,
      action_id: actionId,
    });
  },
};
