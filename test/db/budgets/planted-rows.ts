import { newId } from '../../../domain/ids.ts';
import { plantApiKey } from '../api-keys/planted-rows.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** A budget, a reservation against it (which creates the row of its usage), and a usage that is unknown. */
  async plant(owner, tenant) {
    const api_key_id = await plantApiKey(owner, tenant);
    const environment_id = tenant.environmentId;
    const month = '2026-01-01';
    await insert(owner, 'budgets', { api_key_id, environment_id, total: 1_000_000 });
    const invocation_id = newId('invocation');
    await insert(owner, 'budget_reservations', { invocation_id, environment_id, api_key_id, month, amount: 1 });
    await insert(owner, 'budget_crossings', { environment_id, api_key_id, month, cap_name: 'total', taken: 1, cap: 1 });
    await insert(owner, 'api_key_unknown_usage', { environment_id, api_key_id, month });
  },
  writtenByDatabase: ['api_key_unknown_usage'],
  writtenBeside: { api_key_usage: null, budget_reservations: null },
};
