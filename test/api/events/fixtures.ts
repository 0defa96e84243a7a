import { nothing, planted, type RouteFixtures, unique } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';
import { deliveryFixtures } from './delivery-fixtures.ts';

const newTopic = () => ({ name: unique('orders'), description: 'What happens to orders.' });

async function plantTopic({ api, key }: World): Promise<{ id: string; name: string }> {
  return planted<{ id: string; name: string }>(api.call('POST', '/api/v2/events/topics', { key, body: newTopic() }));
}

const newSubscription = () => ({
  url: 'https://shop.example/webhooks/events',
  eventTypes: ['order.*', 'invoice.paid'],
  headers: { 'X-Shop': 'books', Authorization: 'Bearer of-the-receiver' },
});

const topic = async (world: World): Promise<FixtureRequest> => ({ params: { ref: (await plantTopic(world)).id } });

async function plantSubscription(world: World, request?: FixtureRequest): Promise<{ id: string }> {
  const ref = request?.params?.['ref'] ?? (await plantTopic(world)).id;
  const path = `/api/v2/events/topics/${ref}/subscriptions`;
  return planted<{ id: string }>(world.api.call('POST', path, { key: world.key, body: newSubscription() }));
}

const subscription = async (world: World): Promise<FixtureRequest> => ({
  params: { subscriptionId: (await plantSubscription(world)).id },
});

async function newEvent(world: World) {
  const { name } = await plantTopic(world);
  return { topic: name, type: 'order.paid', data: { order: 4711, total: 1999 }, id: unique('order-4711-paid') };
}

async function plantEvent(world: World): Promise<{ eventId: string }> {
  const body = await newEvent(world);
  return planted<{ eventId: string }>(world.api.call('POST', '/api/v2/events', { key: world.key, body }));
}

export const fixtures: RouteFixtures = {
  ...deliveryFixtures,
  'events.publish': { request: async (world) => ({ body: await newEvent(world) }) },
  'events.list': { request: nothing, plantRow: plantEvent },
  'events.get': { request: async (world) => ({ params: { eventId: (await plantEvent(world)).eventId } }) },
  'events.topics.list': { request: nothing, plantRow: plantTopic },
  'events.topics.create': { request: () => Promise.resolve({ body: newTopic() }) },
  'events.topics.get': { request: topic },
  'events.topics.update': {
    request: async (world) => ({ ...(await topic(world)), body: { name: unique('paid-orders') } }),
  },
  'events.topics.delete': { request: topic },
  'events.subscriptions.list': { request: topic, plantRow: plantSubscription, listedFrom: 'event_subscriptions' },
  'events.subscriptions.create': { request: async (world) => ({ ...(await topic(world)), body: newSubscription() }) },
  'events.subscriptions.get': { request: subscription },
  'events.subscriptions.update': {
    request: async (world) => ({ ...(await subscription(world)), body: { eventTypes: ['*'] } }),
  },
  'events.subscriptions.delete': { request: subscription },
  'events.subscriptions.rotateSecret': {
    request: async (world) => ({ ...(await subscription(world)), body: { gracePeriodSeconds: 3_600 } }),
  },
};
