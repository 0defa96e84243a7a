import { randomUUID } from 'node:crypto';
import { nothing, planted, type RouteFixtures, unique } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

const newRun = () => ({
  name: unique('Answer a customer'),
  agentId: 'support',
  agentVersion: '3',
  userId: 'customer-17',
  application: 'shop',
  input: { question: 'Where is my order 4711?' },
  tags: ['support'],
  metadata: { channel: 'web' },
});

const ROOT = '00f067aa0ba902b7';
const MODEL = '53995c3f42cd8ad8';
const spans = () => [
  {
    id: ROOT,
    name: 'support agent',
    kind: 'agent',
    attributes: { tried: unique('turn') },
  },
  {
    id: MODEL,
    parentId: ROOT,
    name: 'chat',
    kind: 'model',
    status: 'succeeded',
    tokens: { input: 412, output: 58 },
    cost: 0.0021,
  },
];

async function plantRun({ api, key }: World): Promise<string> {
  return (await planted<{ id: string }>(api.call('POST', '/api/v2/runs', { key, body: newRun() }))).id;
}

async function plantSpans({ api, key }: World, id: string, of: object[]): Promise<void> {
  await planted(api.call('POST', `/api/v2/runs/${id}/spans`, { key, body: { spans: of } }));
}

const run = async (world: World): Promise<FixtureRequest> => ({ params: { id: await plantRun(world) } });

async function runWithSpans(world: World): Promise<{ params: { id: string } }> {
  const id = await plantRun(world);
  await plantSpans(world, id, spans());
  return { params: { id } };
}

const span = async (world: World): Promise<FixtureRequest> => ({
  params: { ...(await runWithSpans(world)).params, spanId: MODEL },
});

/** A trace of one span, as an exporter sends it in JSON. */
const exported = (traceId: string): FixtureRequest => {
  const span = {
    traceId,
    spanId: ROOT,
    name: 'support agent',
    startTimeUnixNano: '1767225600000000000',
    endTimeUnixNano: '1767225601000000000',
  };
  const body = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
  return { raw: Buffer.from(JSON.stringify(body)), headers: { 'Content-Type': 'application/json' } };
};

export const fixtures: RouteFixtures = {
  'runs.ingestTraces': {
    request: () => Promise.resolve(exported(randomUUID().replaceAll('-', ''))),
    example: () => Promise.resolve(exported('4bf92f3577b34da6a3ce929d0e0e4736')),
  },
  'runs.list': { request: nothing, plantRow: plantRun },
  'runs.create': { request: () => Promise.resolve({ body: newRun() }) },
  'runs.get': { request: runWithSpans },
  'runs.update': {
    request: async (world) => ({
      ...(await runWithSpans(world)),
      body: { status: 'succeeded', output: { answer: unique('It was shipped') }, tokens: 470, cost: 0.0021 },
    }),
  },
  'runs.cancel': { request: runWithSpans },
  'runs.spans.list': {
    request: runWithSpans,
    listedFrom: 'spans',
    // The others have random ids.
    example: runWithSpans,
    plantRow: (world, { params }) =>
      plantSpans(world, params?.['id'] ?? '', [{ id: randomUUID().replaceAll('-', '').slice(0, 16), name: 'again' }]),
  },
  'runs.spans.upsert': { request: async (world) => ({ ...(await run(world)), body: { spans: spans() } }) },
  'runs.spans.get': { request: span },
  'runs.spans.update': {
    request: async (world) => ({ ...(await span(world)), body: { output: { answer: unique('Shipped') } } }),
  },
};
