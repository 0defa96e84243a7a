import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** A dead letter, and a job that has not begun. */
  async plant(owner, { environmentId: environment_id }) {
    await insert(owner, 'dead_letters', {
      message_id: newId('message'),
      environment_id,
      retention: 'month',
      reason: 'gone',
      url: 'https://example.com/hook',
    });
    await insert(owner, 'dead_letter_jobs', {
      id: newId('deadLetterJob'),
      environment_id,
      kind: 'retry',
      filter: {},
      requested_by: {},
      publishes_while_halted: false,
    });
  },
};
