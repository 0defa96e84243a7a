import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** A session with a message. */
  async plant(owner, { environmentId: environment_id }) {
    const id = newId('session');
    await insert(owner, 'sessions', { id, environment_id, name: 'planted', message_count: 1, last_sequence: 1 });
    await insert(owner, 'session_messages', {
      session_id: id,
      sequence: 1,
      environment_id,
      id: newId('sessionMessage'),
      role: 'user',
      content: '"planted"',
      tokens: 1,
    });
  },
};
