import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  async plant(owner, tenant) {
    await insert(owner, 'signing_keys', {
      id: newId('signingKey'),
      workspace_id: tenant.workspaceId,
      prefix: 'whsec_xxxx',
      master_key_version: 1,
      wrapped_data_key: Buffer.alloc(60),
      sealed_value: Buffer.alloc(60),
      retires_at: new Date(), // there is only one newest key
    });
  },
  ofWorkspace: ['signing_keys'],
};
