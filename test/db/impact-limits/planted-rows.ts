import { newId } from '../../../domain/ids.ts';
import { plantAction } from '../actions/planted-rows.ts';
import { plantEffect } from '../effects/planted-rows.ts';
import { insert, type PlantedArea, withoutTriggers } from '../harness/plant.ts';
import { plantInvocation } from '../invocations/planted-rows.ts';

export const rows: PlantedArea = {
  /** An impact limit with a crossing, and a reservation of an effect that is being dispatched. */
  async plant(owner, tenant) {
    const environment_id = tenant.environmentId;
    const action = await plantAction(owner, tenant);
    const limit_id = newId('impactLimit');
    const of = { limit_id, period: 'lifetime', environment_id };
    const terms = { dimension: 'planted', cap: 10, period: 'lifetime', timezone: 'UTC', scope: {}, thresholds: [] };
    await insert(owner, 'impact_limits', { id: limit_id, environment_id, name: 'planted', ...terms });
    const invocationId = await plantInvocation(owner, tenant, action);
    await withoutTriggers(owner, async () => {
      const underWay = { stage: 'dispatching', outcome: 'pending' };
      const effect_id = await plantEffect(owner, tenant, { invocationId, versionId: action.versionId }, underWay);
      await insert(owner, 'impact_limit_periods', { ...of, reserved: 1 });
      await insert(owner, 'impact_limit_crossings', { ...of, threshold: 10, used: 1, cap: 10 });
      await insert(owner, 'impact_reservations', { ...of, id: newId('reservation'), effect_id, amount: 1 });
    });
  },
  writtenBeside: { impact_limit_periods: null, impact_reservations: null },
};
