import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** A workflow that is to run. */
  async plant(owner, { environmentId: environment_id }) {
    const id = newId('invocation');
    await insert(owner, 'workflow_starts', { id, environment_id, kind: 'invocation', due_at: new Date() });
  },
  writtenByDatabase: ['workflow_starts'],
  writtenBeside: { workflow_starts: null },
};
