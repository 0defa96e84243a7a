import { randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import type { AnyRoute } from '../../../api/http/define-route.ts';
import { ROUTES } from '../../../api/routes.ts';
import { longestStretchMs, slowness } from '../../harness/event-loop.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { createWorld, worldAt } from '../suites/create-world.ts';
import { costlyBodies, costlyToParse } from './costly-bodies.ts';

/** No request, however large or strange, blocks all others for longer. */
const STRETCH_MS_MAX = 50;
/** A stretch may include what the engine compiles, or a collection of garbage that is not this request's. */
const TRIES = 4;

/** Another API on its database, whose workflows no worker runs: it is what is measured. */
const target = await startTarget();
// The harness's own check of the reply takes longer than the route.
const api = await startTestService({ onReply: () => undefined });
const world = await createWorld({ api, targetUrl: `${target.baseUrl}/ok` });
const { database } = api;
const quiet = await startTestApi({ database, taskQueue: 'nobody-polls', onReply: () => undefined });
const measured = worldAt(world, quiet);
afterAll(async () => {
  await measured.api.close();
});

/** The least stretch of a few tries, and the last reply. */
async function stretchOf(send: () => Promise<CallResult>): Promise<{ ms: number; reply: CallResult }> {
  let [least, reply]: [number, CallResult | null] = [Infinity, null];
  for (let tries = 0; tries < TRIES && least > STRETCH_MS_MAX; tries++) {
    const ms = await longestStretchMs(async () => void (reply = await send()));
    least = Math.min(least, ms > STRETCH_MS_MAX ? ms / slowness() : ms);
  }
  if (reply === null) throw new Error('nothing was sent');
  return { ms: least, reply };
}

const TAKE_JSON = ROUTES.filter(({ method, streamedBody }) => method !== 'GET' && streamedBody === undefined);

test.each(TAKE_JSON.map((route): [string, AnyRoute] => [route.id, route]))(
  'no body of %s holds the event loop',
  async (_, route) => {
    const { body = {}, ...request } = await world.requestFor(route);
    const credential = await world.credentialHeaders(route);
    const found: string[] = [];
    for (const [what, text] of costlyBodies(route, body)) {
      const raw = Buffer.from(text);
      const { ms, reply } = await stretchOf(() => {
        const headers = { ...credential, ...request.headers, 'Content-Type': 'application/json' };
        // An invocation is waited for, and so has a worker.
        return (route.id === 'actions.invoke' ? world : measured).send(route, request, {
          raw,
          headers: { ...headers, 'Idempotency-Key': randomUUID() },
        });
      });
      if (ms > STRETCH_MS_MAX) found.push(`${what}: ${ms.toFixed(0)} ms, then ${reply.status}`);
    }
    expect(found).toEqual([]);
  },
);

describe.each(['/api/v2/memory', '/mcp'])('no body for the parser holds the event loop of POST %s', (path) => {
  test.each(costlyToParse())('%s', async (_, text) => {
    const raw = Buffer.from(text);
    const headers = { ...JSON_TYPE, Accept: 'application/json, text/event-stream' };
    const { ms, reply } = await stretchOf(() => measured.api.call('POST', path, { key: world.key, raw, headers }));
    expect(reply.status, reply.text.slice(0, 300)).toBe(400);
    expect(ms).toBeLessThan(STRETCH_MS_MAX);
  });
});

const MIB = 1_048_576;
const spanId = (): string => randomBytes(8).toString('hex');
const PROTOBUF = { 'Content-Type': 'application/x-protobuf' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const attribute = (index: number) => ({ key: `app.setting.${index}`, value: { stringValue: `value ${index}` } });
const traces = (spans: number, attributes: number): string => {
  const traceId = randomBytes(16).toString('hex');
  const of = () => ({
    traceId,
    spanId: spanId(),
    name: 'chat',
    startTimeUnixNano: '1700000000000000000',
    endTimeUnixNano: '1700000001000000000',
    attributes: Array.from({ length: attributes }, (_, index) => attribute(index)),
  });
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: Array.from({ length: spans }, of) }] }] });
};
const contentOf = (json: string): string => {
  const one = JSON.parse(traces(1, 1)) as { resourceSpans: [{ scopeSpans: [{ spans: [{ attributes: unknown[] }] }] }] };
  const [span] = one.resourceSpans[0].scopeSpans[0].spans;
  one.resourceSpans[0].scopeSpans[0].spans = Array.from({ length: 64 }, () => ({
    ...span,
    spanId: spanId(),
    attributes: [{ key: 'input.value', value: { stringValue: json } }],
  })) as never;
  return JSON.stringify(one);
};

type Case = [
  what: string,
  status: number,
  path: string,
  body: () => string | Uint8Array,
  headers?: Record<string, string>,
];
const TRACES = '/api/v2/otlp/v1/traces';

const CASES: Case[] = [
  [
    'traces: empty lists in gzip',
    400,
    TRACES,
    () => gzipSync('[' + '[],'.repeat((4 * MIB) / 3 - 9) + '[]]'),
    { ...JSON_TYPE, 'Content-Encoding': 'gzip' },
  ],
  ['traces: an ordinary batch', 200, TRACES, () => traces(512, 30), JSON_TYPE],
  ['traces: 60,000 attributes of a span', 200, TRACES, () => traces(1, 60_000).slice(0, 4 * MIB), JSON_TYPE],
  ['traces: as many spans as are taken', 200, TRACES, () => traces(5_000, 3), JSON_TYPE],
  [
    'traces: contents that are JSON of many values',
    400,
    TRACES,
    () => contentOf(`[${'[],'.repeat(20_000)}0]`),
    { ...JSON_TYPE, 'X-Service-Capture-Content': 'true' },
  ],
  ['traces: two million unknown fields', 400, TRACES, () => Buffer.from('f80101'.repeat(1_300_000), 'hex'), PROTOBUF],
  ['traces: 60 kB of unknown fields', 200, TRACES, () => Buffer.from('f80101'.repeat(20_000), 'hex'), PROTOBUF],
  [
    'MCP: an input of small objects',
    200,
    '/mcp',
    () => {
      const input = { rows: Array.from({ length: 19_000 }, (_, index) => ({ b: index, a: 2 })) };
      const params = { name: 'invoke_action', arguments: { action: 'none', input } };
      return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    },
    { ...JSON_TYPE, Accept: 'application/json, text/event-stream' },
  ],
  [
    'policies: files that YAML takes long for',
    400,
    '/api/v2/approval-policies/files/plan',
    () => {
      const content = `[${'[],'.repeat(40_000)}[]]`;
      return JSON.stringify({ files: Array.from({ length: 8 }, (_, index) => ({ path: `${index}.yaml`, content })) });
    },
  ],
  ['memory: 4 MB of lists', 400, '/api/v2/memory/ingest', () => `{"text":[${'{},'.repeat((4 * MIB) / 3 - 9)}0]}`],
  ['spans: 4 MB of lists', 400, '/api/v2/runs/run_none/spans', () => `{"spans":[${'{},'.repeat((4 * MIB) / 3 - 9)}0]}`],
  [
    'memory: unknown members',
    400,
    '/api/v2/memory/ingest',
    () => `{"text":[${'{},'.repeat(49_000)}0],"a":"${'x'.repeat(3 * MIB)}"}`,
  ],
  [
    'memory: a text of 4 MB',
    404,
    '/api/v2/memory/ingest',
    () => JSON.stringify({ collectionId: 'col_none', chunkCharacters: 4_000, text: 'A sentence. '.repeat(330_000) }),
  ],
];

describe('of routes that take more than others', () => {
  test.each(CASES)('%s', async (_, status, path, body, headers = JSON_TYPE) => {
    const raw = body();
    const { ms, reply } = await stretchOf(() => measured.api.call('POST', path, { key: world.key, raw, headers }));
    expect(reply.status, reply.text.slice(0, 300)).toBe(status);
    expect(ms).toBeLessThan(STRETCH_MS_MAX);
  });

  test('500 spans of 8 kB', async () => {
    const run = await measured.api.call('POST', '/api/v2/runs', { key: world.key, body: {} });
    const { id } = (run.json as { data: { id: string } }).data;
    const input = {
      messages: Array.from({ length: 20 }, (_, index) => ({ role: 'user', content: 'x'.repeat(350), index })),
    };
    const spans = Array.from({ length: 500 }, () => ({
      id: spanId(),
      name: 'chat',
      input,
      attributes: { a: 1, b: 2 },
    }));
    const path = `/api/v2/runs/${id}/spans`;
    const raw = JSON.stringify({ spans });
    const headers = () => ({ ...JSON_TYPE, 'Idempotency-Key': randomUUID() });
    const { ms, reply } = await stretchOf(() =>
      measured.api.call('POST', path, { key: world.key, raw, headers: headers() }),
    );
    expect(reply.json).toMatchObject({ data: { accepted: 500 } });
    expect(ms).toBeLessThan(STRETCH_MS_MAX);
  });
});

describe('a batch of 1,000 messages', () => {
  const sendBatch = (message: (index: number) => object): Promise<CallResult> => {
    const messages = Array.from({ length: 1_000 }, (_, index) => ({
      url: `${target.baseUrl}/ok`,
      delay: 3_600,
      ...message(index),
    }));
    return measured.api.call('POST', '/api/v2/messages/batch', { key: world.key, body: { messages } });
  };

  test('of 1 kB each', async () => {
    const body = {
      order: { id: 1, lines: Array.from({ length: 12 }, (_, line) => ({ line, sku: `sku-${line}`, count: 1 })) },
    };
    const { ms, reply } = await stretchOf(() => sendBatch(() => ({ body, retryDelay: '1000 * pow(2, retried)' })));
    expect(reply.status).toBe(200);
    expect(ms).toBeLessThan(STRETCH_MS_MAX);
  });

  test('with as many expressions', async () => {
    const { ms, reply } = await stretchOf(() => sendBatch((index) => ({ retryDelay: `${index} * pow(2, retried)` })));
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('have 1000 different retryDelay expressions; a batch may have 20');
    expect(ms).toBeLessThan(STRETCH_MS_MAX);
  });

  test('with 20 expressions', async () => {
    let sent = 0;
    const expression = (index: number): string =>
      `${sent}${index % 20} * ${'(retried + '.repeat(15)}1${')'.repeat(15)}`;
    const { ms, reply } = await stretchOf(() => {
      sent++;
      return sendBatch((index) => ({ retryDelay: expression(index) }));
    });
    expect(reply.text).not.toContain('error');
    expect(ms).toBeLessThan(STRETCH_MS_MAX);
  });
});
