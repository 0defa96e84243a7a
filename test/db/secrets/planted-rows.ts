import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  async plant(owner, { environmentId: environment_id }) {
    const secretId = newId('secret');
    await insert(owner, 'secrets', { id: secretId, environment_id, name: 'PLANTED', current_version: 1 });
    await insert(owner, 'secret_versions', {
      environment_id,
      secret_id: secretId,
      version: 1,
      master_key_version: 1,
      wrapped_data_key: Buffer.alloc(60),
      sealed_value: Buffer.alloc(60),
    });
  },
  heldElsewhere: {
    master_key_digests: 'of the installation: test/db/secrets/refuse-other-master-keys.test.ts',
  },
};
