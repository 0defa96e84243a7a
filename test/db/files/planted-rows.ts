import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** A file, which counts in its workspace. */
  async plant(owner, { environmentId: environment_id }) {
    const id = newId('file');
    const times = { confirmed_at: '2026-01-01', expires_at: '2026-01-01' };
    const is = { upload: 'direct', status: 'ready', filename: 'planted.txt', content_type: 'text/plain', size: 5 };
    await insert(owner, 'files', { id, environment_id, ...is, sha256: 'a'.repeat(64), created_by: '{}', ...times });
  },
  ofWorkspace: ['storage_used'],
};
