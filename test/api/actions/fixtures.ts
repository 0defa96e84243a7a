import { randomUUID } from 'node:crypto';
import { nothing, planted, type RouteFixtures, some } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

/** The name and id of a new action, plain by default. */
export function plantAction(
  { api, key, targetUrl }: World,
  over: { governed?: true } = {},
): Promise<{ id: string; name: string }> {
  const body = {
    name: `a${randomUUID().slice(0, 8)}`,
    adapter: { type: 'http.request', config: { method: 'POST', url: targetUrl } },
    ...over,
  };
  return planted(api.call('POST', '/api/v2/actions', { key, body }));
}

/** One more version of an action. */
async function plantVersion({ api, key }: World, actionId: string): Promise<void> {
  const body = { timeoutMs: 1_000 + Math.floor(Math.random() * 10_000) };
  await planted(api.call('PATCH', `/api/v2/actions/${actionId}`, { key, body }));
}

/** The path parameter of a new action. */
export const action = async (world: World): Promise<FixtureRequest> => ({
  params: { ref: (await plantAction(world)).id },
});

export const fixtures: RouteFixtures = {
  'actions.list': { request: nothing, plantRow: (world) => plantAction(world) },
  'actions.create': {
    request: () =>
      Promise.resolve({
        body: {
          name: `created-${some()}`,
          adapter: { type: 'http.request', config: { method: 'POST', url: 'https://example.com/hook' } },
        },
      }),
  },
  'actions.import': {
    request: () =>
      Promise.resolve({
        body: {
          document: {
            openapi: '3.1.0',
            info: { title: `Imported ${some()}`, version: '1' },
            servers: [{ url: 'https://example.com' }],
            paths: { '/things': { get: { operationId: `list-things-${some()}`, responses: {} } } },
          },
        },
      }),
  },
  'actions.get': { request: action },
  'actions.update': { request: async (world) => ({ ...(await action(world)), body: { description: 'changed' } }) },
  'actions.archive': { request: action },
  'actions.versions.list': {
    request: action,
    plantRow: (world, { params }) => plantVersion(world, params?.['ref'] ?? ''),
  },
};
