import { nothing, planted, type RouteFixtures, unique } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

const MESSAGES = [
  { role: 'system', content: 'You help customers of a shop. Be brief.' },
  { role: 'user', content: 'Where is my order 4711?' },
  {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'call_1', name: 'find_order', arguments: { order: 4711 } }],
  },
  { role: 'tool', toolCallId: 'call_1', content: '{"state":"shipped","carrier":"DHL"}' },
  { role: 'assistant', content: 'It was shipped with DHL.' },
];

const newSession = () => ({
  name: unique('Order'),
  userId: 'customer-17',
  agentId: 'support',
  metadata: { channel: 'web' },
});

async function plantSession({ api, key }: World): Promise<string> {
  const made = await planted<{ id: string }>(api.call('POST', '/api/v2/sessions', { key, body: newSession() }));
  return made.id;
}

async function append({ api, key }: World, id: string, messages: object[] = MESSAGES): Promise<void> {
  await planted(api.call('POST', `/api/v2/sessions/${id}/messages`, { key, body: { messages } }));
}

const empty = async (world: World): Promise<FixtureRequest> => ({ params: { id: await plantSession(world) } });

export async function conversation(world: World): Promise<FixtureRequest & { params: { id: string } }> {
  const id = await plantSession(world);
  await append(world, id);
  return { params: { id } };
}

export const fixtures: RouteFixtures = {
  'sessions.list': { request: nothing, plantRow: plantSession },
  'sessions.create': { request: () => Promise.resolve({ body: { ...newSession(), ttlSeconds: 86_400 } }) },
  'sessions.get': { request: conversation },
  'sessions.update': {
    request: async (world) => ({ ...(await empty(world)), body: { name: 'Order 4711, shipped', ttlSeconds: 604_800 } }),
  },
  'sessions.delete': { request: conversation },
  'sessions.messages.list': {
    request: conversation,
    listedFrom: 'session_messages',
    plantRow: (world, { params }) => append(world, params?.['id'] ?? '', [{ role: 'user', content: 'And when?' }]),
  },
  'sessions.messages.append': { request: async (world) => ({ ...(await empty(world)), body: { messages: MESSAGES } }) },
  'sessions.messages.clear': { request: conversation },
  'sessions.messages.pop': { request: conversation },
};
