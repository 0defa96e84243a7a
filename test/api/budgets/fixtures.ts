import { nothing, planted, type RouteFixtures } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

/** The id of the key that a new budget is for. */
async function plantBudget({ api, key }: World): Promise<string> {
  const { record } = await api.createKey(api.database.tenants.development);
  await planted(api.call('PUT', `/api/v2/budgets/${record.id}`, { key, body: { caps: { total: 1_000_000 } } }));
  return record.id;
}

const budget = async (world: World): Promise<FixtureRequest> => ({ params: { apiKeyId: await plantBudget(world) } });

export const fixtures: RouteFixtures = {
  'budgets.list': { request: nothing, plantRow: plantBudget },
  'budgets.get': { request: budget },
  'budgets.put': { request: async (world) => ({ ...(await budget(world)), body: { caps: { total: 5_000_000 } } }) },
  'budgets.delete': { request: budget },
};
