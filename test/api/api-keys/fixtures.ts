import { SCOPES } from '../../../domain/scopes.ts';
import { type RouteFixtures, workspace } from '../suites/fixture.ts';

export const fixtures: RouteFixtures = {
  'apiKeys.list': {
    request: workspace,
    plantRow: (world) =>
      world.api.createKey(world.api.database.tenants.development, { name: 'Support agent', scopes: SCOPES }),
  },
  'apiKeys.create': {
    request: async (world) => ({
      ...(await workspace(world)),
      body: { name: 'Support agent', environmentId: world.api.database.tenants.development.environmentId },
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
