import type { RouteFixtures } from '../suites/fixture.ts';
import { nothing, planted, unique } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

const PROMPT = 'What is the capital of France?';
const stored = ({ api, key }: World, prompt = PROMPT): Promise<{ id: string }> =>
  planted<{ id: string }>(
    api.call('POST', '/api/v2/cache', { key, body: { prompt, response: 'Paris.', model: 'gpt' } }),
  );
const one = async (world: World): Promise<FixtureRequest> => ({ params: { entryId: (await stored(world)).id } });

export const fixtures: RouteFixtures = {
  'cache.list': { request: nothing, plantRow: (world) => stored(world, unique('a prompt')) },
  'cache.store': {
    // Flushed before: only the replacement of an entry is in the audit log.
    request: async ({ api, key }) => {
      await planted(api.call('POST', '/api/v2/cache/flush', { key, body: { namespace: 'default' } }));
      return { body: { prompt: PROMPT, response: 'Paris.', model: 'gpt', ttlSeconds: 3_600 } };
    },
  },
  'cache.lookup': {
    request: async (world) => {
      await stored(world);
      return { body: { prompt: 'what is the capital of france', model: 'gpt' } };
    },
  },
  'cache.flush': { request: () => Promise.resolve({ body: { namespace: 'default' } }) },
  'cache.stats': { request: nothing },
  'cache.get': { request: one },
  'cache.delete': { request: one },
};
