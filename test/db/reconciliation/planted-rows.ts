import { newId } from '../../../domain/ids.ts';
import { plantAttempt } from '../attempts/planted-rows.ts';
import { plantNewEffect } from '../effects/planted-rows.ts';
import { insert, type PlantedArea, withoutTriggers } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** The rows of a resolution of an abandoned dispatch that depended on itself. No real sequence of events produces such rows. */
  async plant(owner, tenant) {
    const { environmentId: environment_id } = tenant;
    const { effectId, invocationId } = await plantNewEffect(owner, tenant);
    const attemptId = await plantAttempt(owner, tenant, invocationId);
    await withoutTriggers(owner, async () => {
      await insert(owner, 'resolutions', {
        id: newId('resolution'),
        environment_id,
        invocation_id: invocationId,
        effect_id: effectId,
        outcome: 'failed',
        previous_outcome: 'unknown',
        partial_effect: 'none',
        summary: 'planted',
        provider_ids: {},
        resolved_by: {},
      });
      await insert(owner, 'late_answers', { attempt_id: attemptId, environment_id, observed_outcome: 'unknown' });
      await insert(owner, 'effect_dependencies', {
        invocation_id: invocationId,
        environment_id,
        depends_on: effectId,
        position: 1,
      });
    });
  },
  writtenBeside: { late_answers: null },
};
