import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { fromBinary } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ExportTraceServiceRequestSchema, type KeyValue } from '../../api/runs/otlp/descriptors.ts';
import { spanSchema } from '../../api/runs/schemas.ts';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import { approve, readApproval } from '../api/approvals/support.ts';
import { createAction, dataOf, effectOf, invocationIn, invoke } from '../api/invocations/support.ts';
import { closesWithFile } from '../harness/closes-with-file.ts';
import { startTarget } from '../harness/target.ts';
import { sentTo, untilSeen } from './seen.ts';
import { SeparateProcesses } from './separate-processes.ts';

/** The trace of a call that waits for a person, over an API and a worker process, as a collector receives it. */

interface Received {
  service: string;
  traceId: string;
  spanId: string;
  parentId: string;
  name: string;
  /** SpanKind of OTLP: 1 internal, 2 server, 3 client, 5 consumer. */
  kind: number;
  attributes: Record<string, string | number | boolean>;
  ms: number;
}

const received: Received[] = [];
let bytes = '';
const SPAN_KIND_FIELD = 6;
const collector = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const sent = Buffer.concat(chunks);
    take(request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent);
    response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end();
  });
});
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
closesWithFile(() => new Promise<void>((resolve) => void collector.close(() => resolve())));
const tracing = {
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
  OTEL_BSP_SCHEDULE_DELAY: '100',
};

const valuesOf = (attributes: KeyValue[]): Received['attributes'] =>
  Object.fromEntries(
    attributes.map(({ key, value }) => {
      const plain = value?.value.value;
      return [key, typeof plain === 'bigint' ? Number(plain) : (plain as string)];
    }),
  );
const hex = (id: Uint8Array): string => Buffer.from(id).toString('hex');

function take(body: Buffer): void {
  bytes += body.toString('latin1');
  for (const { resource, scopeSpans } of fromBinary(ExportTraceServiceRequestSchema, body).resourceSpans) {
    const service = String(valuesOf(resource?.attributes ?? [])['service.name']);
    for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
      // The descriptors of the ingest leave the kind among the unknown fields.
      const kind = span as unknown as { kind?: number; $unknown?: { no: number; data: Uint8Array }[] };
      received.push({
        service,
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentId: hex(span.parentSpanId),
        name: span.name,
        kind: kind.kind ?? kind.$unknown?.find(({ no }) => no === SPAN_KIND_FIELD)?.data[0] ?? 0,
        attributes: valuesOf(span.attributes),
        ms: Number(span.endTimeUnixNano - span.startTimeUnixNano) / 1e6,
      });
    }
  }
}

const [processes, target] = await Promise.all([SeparateProcesses.start(), startTarget()]);
const [api, worker] = await Promise.all([processes.startApi(tracing), processes.startWorker(tracing)]);
const { key: approverKey } = await processes.database.db.withEnvironment(processes.database.tenant, (tx) =>
  createApiKey(tx, { name: 'approver', preset: 'full_access' }),
);
const approver = api.as(approverKey);
await api.putSecret('planted', 'planted-secret-value');

/** Asks for an approval, approves it, and waits for the end. Returns the invocation. */
async function approvedCall(traceparent: string): Promise<string> {
  const action = await createAction(
    api,
    { url: `${target.baseUrl}/ok?planted-query`, headers: { Authorization: 'Bearer {{secret:planted}}' } },
    { approval: { required: true } },
  );
  const asked = await invoke(api, action, { input: { note: 'planted-input' } }, { traceparent });
  expect(asked.status).toBe(202);
  const { id, approvalId } = asked.invocation;
  expect((await approve(approver, await readApproval(api, approvalId))).status).toBe(200);
  const status = async () => invocationIn(await api.get(`/api/v2/actions/invocations/${id}`)).status;
  await expect.poll(status).toBe('succeeded');
  return id;
}

/** Spans under a parent that nobody has sent. */
function orphansOf(traceId: string, callerId: string): string[] {
  const ofTrace = received.filter((span) => span.traceId === traceId);
  const known = new Set([callerId, ...ofTrace.map(({ spanId }) => spanId)]);
  return ofTrace.filter(({ parentId }) => !known.has(parentId)).map(({ name }) => name);
}

test('an approved call is one tree, from the caller’s span to the provider’s', async () => {
  const [traceId, callerId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const invocationId = await approvedCall(`00-${traceId}-${callerId}-01`);
  const ofTrace = (): Received[] => received.filter((span) => span.traceId === traceId);
  const named = (name: string): Received[] => ofTrace().filter((span) => span.name === name);
  await expect.poll(() => named('dispatch')).toHaveLength(1);
  await expect.poll(() => named('wait for approval')).toHaveLength(1);
  await expect.poll(() => named('watchApproval').length).toBeGreaterThan(0);
  // A span is sent when it ends, which its parent does later.
  await expect.poll(() => orphansOf(traceId, callerId)).toEqual([]);

  const [request] = named('POST /api/v2/actions/{ref}/invoke');
  expect(request).toMatchObject({ kind: 2, parentId: callerId, service: 'agent-action-runtime-api' });
  expect(request?.attributes).toMatchObject({ 'http.response.status_code': 202, invocationId });
  const activities = named('advanceInvocation');
  expect(new Set(activities.map(({ parentId, kind, service }) => `${parentId} ${kind} ${service}`))).toEqual(
    new Set([`${request?.spanId} 5 agent-action-runtime-worker`]),
  );
  const [dispatch] = named('dispatch');
  const parents = new Set([...activities, ...named('dispatchEffect')].map(({ spanId }) => spanId));
  expect(parents).toContain(dispatch?.parentId);
  const { port } = new URL(target.baseUrl);
  expect(dispatch).toMatchObject({ kind: 3, service: 'agent-action-runtime-worker' });
  expect(dispatch?.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.response.status_code': 200,
    'server.address': '127.0.0.1',
    'server.port': Number(port),
    invocationId,
    attemptId: expect.stringMatching(/^att_/) as string,
    result: 'succeeded',
  });
  const [wait] = named('wait for approval');
  expect(wait).toMatchObject({ kind: 1, parentId: request?.spanId });
  const [row] = await processes.database.asOwner<{ ms: number }>(
    'SELECT extract(epoch FROM decided_at - created_at)::double precision * 1000 AS ms FROM approvals WHERE invocation_id = $1',
    [invocationId],
  );
  expect(wait?.ms).toBeCloseTo(row?.ms ?? -1, 0);
  const statements = ofTrace().filter(({ attributes }) => attributes['db.system.name'] === 'postgresql');
  expect(statements.map(({ name }) => name)).toContain('get_action');
});

test('a caller’s unsampled trace has no span, in no process', async () => {
  const traceId = '11111111111111111111111111111111';
  const id = await approvedCall(`00-${traceId}-00f067aa0ba902b7-00`);
  const [row] = await processes.database.asOwner('SELECT trace_context FROM invocations WHERE id = $1', [id]);
  expect(row?.['trace_context']).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
  // What comes later in both processes is sent in the order in which it ended.
  const marker = '22222222222222222222222222222222';
  await approvedCall(`00-${marker}-00f067aa0ba902b7-01`);
  await expect.poll(() => received.some((span) => span.traceId === marker && span.name === 'dispatch')).toBe(true);
  expect(received.filter((span) => span.traceId === traceId)).toEqual([]);
});

test('a delivery stands under the request that published its message', async () => {
  const scopes = ['messages:read', 'messages:write'] as const;
  const { key } = await processes.database.db.withEnvironment(processes.database.tenant, (tx) =>
    createApiKey(tx, { name: 'publisher', preset: 'full_access', scopes: [...scopes] }),
  );
  const traceId = '44444444444444444444444444444444';
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  const body = { url: `${target.baseUrl}/ok?delivered`, body: { note: 'planted-input' } };
  expect((await api.as(key).post('/api/v2/messages/publish', body, { traceparent })).status).toBe(201);
  const named = (name: string): Received[] => received.filter((span) => span.traceId === traceId && span.name === name);
  await expect.poll(() => named('delivery')).toHaveLength(1);
  await expect.poll(() => named('POST /api/v2/messages/publish')).toHaveLength(1);
  const [request] = named('POST /api/v2/messages/publish');
  const [delivery] = named('delivery');
  expect(delivery).toMatchObject({ kind: 3, parentId: request?.spanId, service: 'agent-action-runtime-worker' });
  expect(delivery?.attributes).toMatchObject({ 'http.response.status_code': 200, 'server.address': '127.0.0.1' });
});

test('no span holds a secret, an input, a path’s query or the text of a statement', () => {
  expect(received.length).toBeGreaterThan(20);
  expect(bytes).not.toMatch(/planted-(secret|input|query)|SELECT |Bearer/);
});

test('a collector can be the service itself, whose run has the tree', async () => {
  const own = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${api.baseUrl}/api/v2/otlp/v1/traces`,
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: `Authorization=Bearer%20${api.key}`,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  const second = await processes.startApi(own);
  const traceId = '33333333333333333333333333333333';
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  expect((await second.as(api.key).post('/api/v2/runs', { name: 'traced' }, { traceparent })).status).toBe(201);
  const found = async () => {
    const runs = await processes.database.asOwner<{ id: string }>('SELECT id FROM runs WHERE trace_id = $1', [traceId]);
    const spans =
      runs[0] === undefined ? [] : dataOf(await api.get(`/api/v2/runs/${runs[0].id}/spans`), z.array(spanSchema));
    return spans.map(({ name }) => name);
  };
  await expect.poll(found).toContain('POST /api/v2/runs');
});

test('a call whose worker is killed is one trace, with what the worker behind it read, and no span is left without its parent', async () => {
  await worker.end('SIGTERM');
  // What waits for the heartbeats is shorter than in production.
  const killed = await processes.startWorker({ ...tracing, HEARTBEAT_TIMEOUT_SECONDS: '4' });
  const [traceId, callerId] = ['66666666666666666666666666666666', '00f067aa0ba902b7'];
  const named = (name: string): Received[] => received.filter((span) => span.traceId === traceId && span.name === name);
  const sent = '/orders?answer=hang';
  const verify = {
    request: { method: 'GET', url: `${target.baseUrl}/orders/killed` },
    expect: [{ path: 'body.state', op: 'eq', value: 'done' }],
  };
  const config = { url: `${target.baseUrl}${sent}`, body: { id: 'killed' } };
  const action = await createAction(api, config, { timeoutMs: 120_000, verify });
  const replied = invoke(api, action, undefined, { traceparent: `00-${traceId}-${callerId}-01` });
  await untilSeen(target, [sent]);
  // Spans are sent in the order in which they ended: what ended before the kill has arrived.
  const marker = '77777777777777777777777777777777';
  await approvedCall(`00-${marker}-${callerId}-01`);
  await expect.poll(() => received.some((span) => span.traceId === marker && span.name === 'dispatch')).toBe(true);
  await killed.end('SIGKILL');
  await processes.startWorker(tracing);

  const { invocation } = await replied;
  await expect.poll(async () => (await effectOf(api, invocation)).stage).toBe('settled');
  const { attempts } = await effectOf(api, invocation);
  expect(attempts.map(({ kind, status }) => [kind, status])).toEqual([
    ['dispatch', 'abandoned'],
    ['reconcile', 'completed'],
  ]);
  await expect.poll(() => named('provider_read')).toHaveLength(1);
  await expect.poll(() => named('POST /api/v2/actions/{ref}/invoke')).toHaveLength(1);
  await expect.poll(() => orphansOf(traceId, callerId)).toEqual([]);
  expect(named('dispatch'), 'it never ended').toEqual([]);
  expect(await sentTo(target, sent)).toBe(1);
});
