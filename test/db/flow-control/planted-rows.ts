import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** A key with a waiting message, and one that is due later. */
  async plant(owner, { environmentId: environment_id, workspaceId: workspace_id }) {
    const lane_id = newId('flowControlKey');
    await insert(owner, 'lanes', { id: lane_id, environment_id, key: 'crm.example' });
    for (const state of ['ready', 'paced']) {
      const message_id = newId('message');
      await insert(owner, 'lane_queue', {
        message_id,
        environment_id,
        workspace_id,
        lane_id,
        state,
        due_at: new Date(),
      });
    }
    await insert(owner, 'lane_pacers', { environment_id, looks_at: new Date() });
  },
};
