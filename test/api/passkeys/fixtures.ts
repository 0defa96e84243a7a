import { SoftwareAuthenticator } from '../../harness/software-authenticator.ts';
import { createPerson, PASSWORD, type TestPerson } from '../harness/people.ts';
import { nothing, type RouteFixtures } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';
import { askedBrowser, challengeOf, CONFIRM, enrol, PASSKEYS, PLACE } from './support.ts';

/** By the cookie of whoever is to be asked for. */
const people = new Map<string, TestPerson>();

async function newPerson(world: World): Promise<TestPerson> {
  const person = await createPerson(world.api, 'owner');
  people.set(person.headers['Cookie'] ?? '', person);
  return person;
}

/** As after the password alone. */
async function halfSignIn(world: World, { sessionId }: TestPerson): Promise<void> {
  const half = 'UPDATE sign_in_sessions SET second_factor = NULL, second_factor_at = NULL WHERE id = $1';
  await world.api.database.asOwner(half, [sessionId]);
}

async function withPasskey(world: World): Promise<FixtureRequest & { person: TestPerson; passkeyId: string }> {
  const person = await newPerson(world);
  const { passkeyId } = await enrol(person);
  return { headers: person.headers, person, passkeyId };
}

export const fixtures: RouteFixtures = {
  'auth.passkeys.list': {
    request: async (world) => ({ headers: (await newPerson(world)).headers }),
    plantRow: async (_, { headers }) => {
      const person = people.get(headers?.['Cookie'] ?? '');
      if (person === undefined) throw new Error('the request is of nobody');
      await enrol(person);
    },
  },
  'auth.passkeys.options': { request: nothing },
  'auth.passkeys.create': {
    request: async (world) => {
      const person = await newPerson(world);
      const challenge = await challengeOf(person, `${PASSKEYS}/options`);
      const credential = new SoftwareAuthenticator().create({ challenge, ...PLACE });
      return { headers: person.headers, body: { name: 'Work phone', credential } };
    },
  },
  'auth.passkeys.update': {
    request: async (world) => {
      const { headers = {}, passkeyId } = await withPasskey(world);
      return { headers, params: { id: passkeyId }, body: { name: 'Work laptop' } };
    },
  },
  'auth.passkeys.delete': {
    request: async (world) => {
      const { headers = {}, passkeyId } = await withPasskey(world);
      return { headers, params: { id: passkeyId } };
    },
  },
  'auth.recovery-codes.get': { request: nothing },
  'auth.recovery-codes.create': {
    request: async (world) => ({ headers: (await withPasskey(world)).person.headers }),
  },
  'auth.passkeySignIn.options': { request: nothing },
  'auth.passkeySignIn.create': {
    request: async (world) => {
      const person = await createPerson(world.api, 'member');
      const { device } = await enrol(person);
      const { challenge, cookie } = await askedBrowser(world.api);
      const credential = device.get({ challenge, ...PLACE, userId: person.userId });
      return { headers: { Cookie: cookie }, body: { credential } };
    },
  },
  'auth.session.passkey.options': {
    request: async (world) => ({ headers: (await withPasskey(world)).person.headers }),
  },
  'auth.session.passkey': {
    request: async (world) => {
      const person = await newPerson(world);
      const { device } = await enrol(person);
      const challenge = await challengeOf(person, `${CONFIRM}/options`);
      return { headers: person.headers, body: { credential: device.get({ challenge, ...PLACE }) } };
    },
  },
  'auth.session.recovery-code': {
    request: async (world) => {
      const person = await newPerson(world);
      const { recoveryCodes } = await enrol(person);
      await halfSignIn(world, person);
      return { headers: person.headers, body: { code: recoveryCodes[0] } };
    },
  },
  'auth.session.password': { request: () => Promise.resolve({ body: { password: PASSWORD } }) },
};
