import { type RouteFixtures, unique, workspace } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

const environment = (world: World): Promise<FixtureRequest> =>
  Promise.resolve({ params: { ...world.api.database.tenants.development } });

export const fixtures: RouteFixtures = {
  'environments.list': { request: workspace },
  'environments.create': {
    request: async (world) => ({
      ...(await workspace(world)),
      body: { name: unique('Sandbox'), kind: 'development' },
    }),
  },
  'environments.get': { request: environment },
  'environments.update': {
    request: async (world) => ({ ...(await environment(world)), body: { name: unique('Playground') } }),
  },
  'environments.halt': {
    request: async (world) => ({
      ...(await environment(world)),
      body: { reason: 'The payment provider reports duplicate refunds.' },
    }),
  },
  'environments.resume': { request: environment },
};
