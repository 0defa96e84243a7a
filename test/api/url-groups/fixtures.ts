import { nothing, planted, type RouteFixtures, unique } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

interface PlantedGroup {
  groupId: string;
  endpoints: { id: string }[];
}

const newGroup = () => ({
  name: unique('order events'),
  endpoints: [{ url: 'https://shop.example/webhooks/orders', name: 'shop', retryCount: 3 }],
});

async function plantGroup({ api, key }: World): Promise<PlantedGroup> {
  return planted<PlantedGroup>(api.call('POST', '/api/v2/url-groups', { key, body: newGroup() }));
}

const group = async (world: World): Promise<FixtureRequest> => ({
  params: { groupId: (await plantGroup(world)).groupId },
});

async function endpoint(world: World): Promise<FixtureRequest> {
  const { groupId, endpoints } = await plantGroup(world);
  return { params: { groupId, endpointId: endpoints[0]?.id ?? '' } };
}

export const fixtures: RouteFixtures = {
  'urlGroups.list': { request: nothing, plantRow: plantGroup },
  'urlGroups.create': { request: () => Promise.resolve({ body: newGroup() }) },
  'urlGroups.get': { request: group },
  'urlGroups.update': {
    request: async (world) => ({ ...(await group(world)), body: { name: unique('paid orders') } }),
  },
  'urlGroups.delete': { request: group },
  'urlGroups.endpoints.add': {
    request: async (world) => ({
      ...(await group(world)),
      body: { url: 'https://books.example/webhooks/orders', retryCount: 10 },
    }),
  },
  'urlGroups.endpoints.remove': { request: endpoint },
  'urlGroups.publish': {
    request: async (world) => ({
      ...(await group(world)),
      body: { body: { event: 'order.paid', order: 4711 }, delay: 3_600 },
    }),
  },
};
