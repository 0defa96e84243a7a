import { type RouteFixtures, workspace } from '../suites/fixture.ts';

export const fixtures: RouteFixtures = {
  'apiKeys.list': {
    request: workspace,
    plantRow: (world) => world.api.createKey(world.api.database.tenants.development),
  },
  'apiKeys.create': {
    request: async (world) => ({
      ...(await workspace(world)),
      body: { name: 'made', environmentId: world.api.database.tenants.development.environmentId },
    }),
  },
  'apiKeys.delete': {
    request: async (world) => {
      const { workspaceId } = world.api.database.tenants.development;
      const { record } = await world.api.createKey(world.api.database.tenants.development);
      return { params: { workspaceId, keyId: record.id } };
    },
  },
};
