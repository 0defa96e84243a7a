import { newId } from '../../../domain/ids.ts';
import { DIGEST, insert, type PlantedArea, withoutTriggers } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** The key of an invocation that was archived. */
  async plant(owner, { environmentId: environment_id }) {
    const invocation_id = newId('invocation');
    await withoutTriggers(owner, () =>
      insert(owner, 'operation_keys', {
        environment_id,
        operation_key: invocation_id,
        invocation_id,
        effect_id: newId('effect'),
        request_digest: DIGEST,
        status: 'succeeded',
        grade: 'acknowledged',
        settled_at: new Date(0),
        archive: `${environment_id}/1970-01-1`,
      }),
    );
  },
  writtenByDatabase: ['operation_keys'],
};
