import { randomUUID } from 'node:crypto';
import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** A group with an endpoint. */
  async plant(owner, { environmentId: environment_id }) {
    const group_id = newId('urlGroup');
    await insert(owner, 'url_groups', { id: group_id, environment_id, name: 'planted' });
    await insert(owner, 'url_group_endpoints', {
      id: randomUUID(),
      environment_id,
      group_id,
      url: 'https://example.com/hook',
    });
  },
};
