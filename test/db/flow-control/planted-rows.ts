import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** A key with a waiting message. */
  async plant(owner, { environmentId: environment_id }) {
    const key_id = newId('flowControlKey');
    await insert(owner, 'flow_control_keys', { id: key_id, environment_id, key: 'crm.example' });
    await insert(owner, 'flow_control_queue', {
      message_id: newId('message'),
      environment_id,
      key_id,
      due_at: new Date(),
    });
  },
};
