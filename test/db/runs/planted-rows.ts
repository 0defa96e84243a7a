import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** A run with a tag and a span. */
  async plant(owner, { environmentId: environment_id }) {
    const run_id = newId('run');
    await insert(owner, 'runs', { id: run_id, environment_id, name: 'planted', tags: ['planted'] });
    await insert(owner, 'spans', {
      run_id,
      id: newId('span'),
      environment_id,
      name: 'planted',
      kind: 'other',
      status: 'running',
      started_at: new Date(),
    });
  },
};
