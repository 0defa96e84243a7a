import { randomUUID } from 'node:crypto';
import { createPerson, PASSWORD, type TestPerson } from '../harness/people.ts';
import { nothing, planted, type RouteFixtures } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';
import { plantGrant } from '../oauth/planted-grant.ts';

/** The token of an invitation into the workspace of the rows. */
async function plantInvitation(world: World): Promise<string> {
  const owner = await createPerson(world.api, 'owner');
  const path = `/api/v2/workspaces/${world.api.database.tenants.development.workspaceId}/members`;
  const { token } = await planted<{ token: string }>(
    owner.call('POST', path, { body: { email: `${randomUUID()}@example.test` } }),
  );
  return token;
}

/** By the cookie of whoever is to be asked for: a user's own rows are planted for that very user. */
const people = new Map<string, TestPerson>();

async function ownRequest(world: World): Promise<FixtureRequest & { headers: Record<string, string> }> {
  const person = await createPerson(world.api, 'member');
  people.set(person.headers['Cookie'] ?? '', person);
  return { headers: person.headers };
}

function plantOwnGrant(world: World, { headers }: FixtureRequest): Promise<string> {
  const person = people.get(headers?.['Cookie'] ?? '');
  if (person === undefined) throw new Error('the request is of nobody');
  return plantGrant(world.api.database, world.api.database.tenant, person.userId);
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
  'auth.connected-apps.list': { request: ownRequest, plantRow: plantOwnGrant },
  'auth.connected-apps.delete': {
    request: async (world) => {
      const request = await ownRequest(world);
      return { ...request, params: { id: await plantOwnGrant(world, request) } };
    },
  },
};
