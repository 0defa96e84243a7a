import { randomUUID } from 'node:crypto';
import { type RouteFixtures, workspace } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

const member = async (world: World): Promise<FixtureRequest> => ({
  params: {
    workspaceId: world.api.database.tenants.development.workspaceId,
    userId: (await world.person('member')).userId,
  },
});

export const fixtures: RouteFixtures = {
  'members.list': { request: workspace, plantRow: (world) => world.person('member') },
  'members.invite': {
    request: async (world) => ({ ...(await workspace(world)), body: { email: `${randomUUID()}@example.test` } }),
  },
  'members.update': { request: async (world) => ({ ...(await member(world)), body: { role: 'admin' } }) },
  'members.remove': { request: member },
};
