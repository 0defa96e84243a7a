import { randomUUID } from 'node:crypto';
import { createPerson, PASSWORD } from '../harness/people.ts';
import { nothing, planted, type RouteFixtures } from '../suites/fixture.ts';
import type { World } from '../suites/world.ts';

/** The token of an invitation into the workspace of the rows. */
async function plantInvitation(world: World): Promise<string> {
  const owner = await createPerson(world.api, 'owner');
  const path = `/api/v2/workspaces/${world.api.database.tenants.development.workspaceId}/members`;
  const { token } = await planted<{ token: string }>(
    owner.call('POST', path, { body: { email: `${randomUUID()}@example.test` } }),
  );
  return token;
}

export const fixtures: RouteFixtures = {
  'auth.identity': { request: nothing },
  'auth.session.create': {
    request: async (world) => ({ body: { email: (await world.person('member')).email, password: PASSWORD } }),
  },
  'auth.session.get': { request: nothing },
  'auth.session.delete': { request: nothing },
  'auth.password.change': {
    request: () => Promise.resolve({ body: { currentPassword: PASSWORD, newPassword: `${PASSWORD} and another` } }),
  },
  'auth.invitations.accept': {
    request: async (world) => ({
      body: { token: await plantInvitation(world), password: PASSWORD, name: 'Grace Hopper' },
    }),
  },
};
