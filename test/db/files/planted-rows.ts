import { newId } from '../../../domain/ids.ts';
import { plantAction } from '../actions/planted-rows.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';
import { plantInvocation } from '../invocations/planted-rows.ts';

export const rows: PlantedArea = {
  /** A file, which counts in its workspace, and which an invocation holds. */
  async plant(owner, tenant) {
    const environment_id = tenant.environmentId;
    const id = newId('file');
    const times = { confirmed_at: '2026-01-01', expires_at: '2026-01-01' };
    const is = { upload: 'direct', status: 'ready', filename: 'planted.txt', content_type: 'text/plain', size: 5 };
    await insert(owner, 'files', { id, environment_id, ...is, sha256: 'a'.repeat(64), created_by: '{}', ...times });
    const invocation_id = await plantInvocation(owner, tenant, await plantAction(owner, tenant));
    await insert(owner, 'file_holds', { file_id: id, invocation_id, environment_id });
  },
  ofWorkspace: ['storage_used'],
};
