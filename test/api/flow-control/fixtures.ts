import { nothing, planted, type RouteFixtures, unique } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

/** The id of a new key. */
async function plantKey({ api, key }: World): Promise<string> {
  const body = { key: unique('crm.example'), rate: 10, periodSeconds: 60, parallelism: 5 };
  const { id } = await planted<{ id: string }>(api.call('POST', '/api/v2/flow-control', { key, body }));
  return id;
}

const flowControlKey = async (world: World): Promise<FixtureRequest> => ({
  params: { flowControlKeyId: await plantKey(world) },
});

/** A key after an operation, for one that undoes it. */
async function after(world: World, operation: string): Promise<FixtureRequest> {
  const id = await plantKey(world);
  await planted(world.api.call('POST', `/api/v2/flow-control/${id}/${operation}`, { key: world.key, body: {} }));
  return { params: { flowControlKeyId: id } };
}

export const fixtures: RouteFixtures = {
  'flowControl.list': { request: nothing, plantRow: plantKey },
  'flowControl.create': {
    request: () =>
      Promise.resolve({ body: { key: unique('crm.example'), rate: 10, periodSeconds: 60, parallelism: 5 } }),
  },
  'flowControl.get': { request: flowControlKey },
  'flowControl.status': { request: flowControlKey },
  'flowControl.update': { request: async (world) => ({ ...(await flowControlKey(world)), body: { parallelism: 20 } }) },
  'flowControl.delete': { request: flowControlKey },
  'flowControl.pause': { request: flowControlKey },
  'flowControl.resume': { request: (world) => after(world, 'pause') },
  'flowControl.pin': { request: async (world) => ({ ...(await flowControlKey(world)), body: { parallelism: 2 } }) },
  'flowControl.unpin': { request: async (world) => ({ ...(await after(world, 'pin')), body: { rate: true } }) },
  'flowControl.resetRate': { request: flowControlKey },
};
