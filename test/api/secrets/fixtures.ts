import { nothing, planted, type RouteFixtures, unique } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

/** The name of a new secret. */
export async function plantSecret({ api, key }: World): Promise<string> {
  const name = unique('payments_key');
  await planted(api.call('PUT', `/api/v2/secrets/${name}`, { key, body: { value: 'the-first-key' } }));
  return name;
}

const secret = async (world: World): Promise<FixtureRequest> => ({ params: { name: await plantSecret(world) } });

export const fixtures: RouteFixtures = {
  'secrets.list': { request: nothing, plantRow: plantSecret },
  'secrets.put': {
    request: async (world) => ({
      ...(await secret(world)),
      body: { value: 'the-next-key', description: 'The restricted key of the payment provider.' },
    }),
  },
  'secrets.get': { request: secret },
  'secrets.delete': {
    request: secret,
    example: async (world) => ({ ...(await secret(world)), body: { confirmProtected: true } }),
  },
};
