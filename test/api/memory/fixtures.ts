import { newId } from '../../../domain/ids.ts';
import { nothing, planted, type RouteFixtures, unique } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

const newCollection = () => ({ name: unique('support'), description: 'What customers said' });

export async function plantCollection({ api, key }: World): Promise<string> {
  const body = newCollection();
  return (await planted<{ id: string }>(api.call('POST', '/api/v2/memory/collections', { key, body }))).id;
}

const content = () => ({
  content: unique('Ada prefers invoices in euro'),
  userId: 'ada',
  agentId: 'billing-agent',
  sessionId: 'ses_of_the_caller',
  source: { type: 'ticket', id: '4711' },
  metadata: { topic: 'billing' },
});

async function plantMemory(world: World): Promise<string> {
  const { api, key } = world;
  const body = { ...content(), collectionId: await plantCollection(world) };
  return (await planted<{ id: string }>(api.call('POST', '/api/v2/memory', { key, body }))).id;
}

/** A job that no workflow works on, so that it is still under way when a suite comes back to it. */
async function plantJob(world: World): Promise<string> {
  const id = newId('memoryJob');
  const template = { kind: 'fact', userId: null, agentId: null, sessionId: null, metadata: {}, expiresAt: null };
  await world.api.database.asOwner(
    `INSERT INTO memory_jobs (id, environment_id, collection_id, kind, template, status, total, done)
     VALUES ($1, $2, $3, 'ingest', $4, 'running', 12, 5)`,
    [id, world.api.database.tenant.environmentId, await plantCollection(world), JSON.stringify(template)],
  );
  return id;
}

/** An environment has a hundred jobs under way at most. */
async function roomForJobs({ api }: World): Promise<void> {
  await api.database.asOwner(
    `UPDATE memory_jobs SET status = 'failed', input = NULL, ended_at = now()
     WHERE ended_at IS NULL AND id NOT IN (SELECT id FROM memory_jobs WHERE ended_at IS NULL ORDER BY id DESC LIMIT 50)`,
  );
}

const collection = async (world: World): Promise<FixtureRequest> => ({
  params: { collectionId: await plantCollection(world) },
});
const memory = async (world: World): Promise<FixtureRequest> => ({ params: { memoryId: await plantMemory(world) } });

export const fixtures: RouteFixtures = {
  'memory.collections.list': { request: nothing, plantRow: plantCollection },
  'memory.collections.create': { request: () => Promise.resolve({ body: newCollection() }) },
  'memory.collections.get': { request: collection },
  'memory.collections.update': {
    request: async (world) => ({ ...(await collection(world)), body: { name: unique('sales'), description: null } }),
  },
  'memory.collections.delete': { request: collection },
  'memory.create': {
    request: async (world) => ({ body: { ...content(), collectionId: await plantCollection(world) } }),
  },
  'memory.list': { request: nothing, plantRow: plantMemory },
  'memory.get': { request: memory },
  'memory.supersede': {
    request: async (world) => ({ ...(await memory(world)), body: { content: 'Ada prefers invoices in pounds' } }),
  },
  'memory.history': {
    listedFrom: 'memories',
    request: async (world) => {
      const memoryId = await plantMemory(world);
      await supersede(world, memoryId);
      return { params: { memoryId } };
    },
    plantRow: (world, { params }) => supersedeNewest(world, params?.['memoryId'] ?? ''),
  },
  'memory.delete': { request: memory },
  'memory.forget': {
    request: async (world) => {
      await plantMemory(world);
      return { body: { filter: { userId: unique('nobody'), metadata: { topic: 'billing' } } } };
    },
  },
  'memory.search': {
    request: (world) => searched(world, content()),
    // A unique part would change the score of the vectors with every run.
    example: (world) => searched(world, { ...content(), content: 'Ada prefers invoices in euro' }),
  },
  'memory.ingest': {
    request: async (world) => {
      await roomForJobs(world);
      const text = 'Ada moved to Lisbon in May.\n\nShe wants invoices in euro from June on.';
      return { body: { collectionId: await plantCollection(world), text, userId: 'ada', chunkCharacters: 100 } };
    },
  },
  'memory.jobs.get': { request: async (world) => ({ params: { jobId: await plantJob(world) } }) },
};

async function searched(world: World, memory: object): Promise<FixtureRequest> {
  const collectionId = await plantCollection(world);
  const { api, key } = world;
  await planted(api.call('POST', '/api/v2/memory', { key, body: { ...memory, collectionId } }));
  const query = 'In which currency does Ada want invoices?';
  return { body: { query, collectionIds: [collectionId], userId: 'ada', limit: 3 } };
}

async function supersede({ api, key }: World, memoryId: string): Promise<string> {
  const body = { content: unique('Ada prefers invoices in dollars') };
  return (await planted<{ id: string }>(api.call('PATCH', `/api/v2/memory/${memoryId}`, { key, body }))).id;
}

async function supersedeNewest(world: World, memoryId: string): Promise<string> {
  const { api, key } = world;
  const [newest] = await planted<{ id: string }[]>(api.call('GET', `/api/v2/memory/${memoryId}/history`, { key }));
  return supersede(world, newest?.id ?? memoryId);
}
