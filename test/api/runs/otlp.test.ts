import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { listedRunSchema, runSchema, runWithCountsSchema, spanSchema } from '../../../api/runs/schemas.ts';
import { setPlan } from '../../../db/plans/plans.ts';
import { type CallOptions, type CallResult, startTestApi } from '../harness/test-api.ts';
import { dataOf } from '../invocations/support.ts';
import { countRows } from '../harness/count-rows.ts';

const PATH = '/api/v2/otlp/v1/traces';
const api = await startTestApi({ taskQueue: 'nobody-polls' });
const { key } = await api.createKey(api.database.tenant);

const hex = (number: number): string => number.toString(16).padStart(16, '0');
const nano = (second: number): string => String(BigInt(Date.UTC(2026, 0, 1, 0, 0, second)) * 1_000_000n);
const text = (name: string, value: string) => ({ key: name, value: { stringValue: value } });
const number = (name: string, value: number) => ({ key: name, value: { intValue: String(value) } });
let traces = 0;
const newTraceId = (): string => (++traces).toString(16).padStart(32, 'a');

const requestOf = (spans: object[], resource: object[] = []) => ({
  resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ scope: { name: 'test' }, spans }] }],
});
const send = (body: object, options: CallOptions = {}): Promise<CallResult> =>
  api.call('POST', PATH, { key, body, ...options });
const accepted = async (...spans: object[]): Promise<void> => {
  const reply = await send(requestOf(spans));
  expect([reply.status, reply.json]).toEqual([200, {}]);
};
const runsOfTrace = async (traceId: string): Promise<string[]> => {
  const rows = await api.database.asOwner<{ id: string }>('SELECT id FROM runs WHERE trace_id = $1', [traceId]);
  return rows.map(({ id }) => id);
};
const runOfTrace = async (traceId: string): Promise<string> => {
  const ids = await runsOfTrace(traceId);
  expect(ids).toHaveLength(1);
  return ids[0] ?? '';
};
const readRun = async (id: string) => dataOf(await api.call('GET', `/api/v2/runs/${id}`, { key }), runWithCountsSchema);
const level = async (id: string, parent = '') =>
  dataOf(await api.call('GET', `/api/v2/runs/${id}/spans${parent}`, { key }), z.array(spanSchema));
const beginRun = async (withKey: string) =>
  dataOf(await api.call('POST', '/api/v2/runs', { key: withKey, body: {} }), runSchema).id;

/** A root with a call of a model and a call of a tool, as two conventions name them. */
function treeOf(traceId: string) {
  const root = {
    traceId,
    spanId: hex(1),
    name: 'invoke_agent support',
    startTimeUnixNano: nano(1),
    endTimeUnixNano: nano(9),
    attributes: [text('gen_ai.operation.name', 'invoke_agent'), text('gen_ai.agent.name', 'support')],
  };
  const model = {
    traceId,
    spanId: hex(2),
    parentSpanId: hex(1),
    name: 'chat gpt',
    startTimeUnixNano: nano(2),
    endTimeUnixNano: nano(3),
    attributes: [
      text('gen_ai.operation.name', 'chat'),
      number('gen_ai.usage.input_tokens', 40),
      number('gen_ai.usage.output_tokens', 2),
    ],
  };
  const tool = {
    traceId,
    spanId: hex(3),
    parentSpanId: hex(1),
    name: 'look up',
    startTimeUnixNano: nano(4),
    endTimeUnixNano: nano(5),
    status: { code: 2, message: 'no order of Ada' },
    events: [
      { name: 'exception', attributes: [text('exception.type', 'LookupError'), text('exception.message', 'Ada?')] },
    ],
    attributes: [text('openinference.span.kind', 'TOOL'), text('input.value', '{"customer":"Ada"}')],
  };
  return { root, model, tool };
}

describe('the spans of a trace', () => {
  test('make one run in any order and any number of deliveries', async () => {
    const traceId = newTraceId();
    const { root, model, tool } = treeOf(traceId);
    await accepted(tool, model);
    const id = await runOfTrace(traceId);
    expect(await readRun(id)).toMatchObject({ status: 'running', name: null, agentId: null });
    expect((await level(id)).map((span) => [span.name, span.orphan])).toEqual([
      ['chat gpt', true],
      ['look up', true],
    ]);
    await accepted(root);
    const ended = await readRun(id);
    expect(ended).toMatchObject({ status: 'succeeded', name: root.name, agentId: 'support', tokens: 42 });
    expect([ended.startedAt, ended.endedAt]).toEqual(['2026-01-01T00:00:01.000Z', '2026-01-01T00:00:09.000Z']);
    expect(await level(id)).toMatchObject([{ id: hex(1), kind: 'agent', childCount: 2, orphan: false, traceId }]);
    const children = await level(id, `?parentId=${hex(1)}`);
    expect(children).toMatchObject([
      { name: 'chat gpt', kind: 'model', status: 'succeeded', tokens: { input: 40, output: 2 } },
      { name: 'look up', kind: 'tool', status: 'failed', error: { type: 'LookupError' } },
    ]);
    await accepted(root, model, tool);
    expect(await runsOfTrace(traceId)).toEqual([id]);
    expect(await level(id, `?parentId=${hex(1)}`)).toEqual(children);
    expect(await readRun(id)).toEqual(ended);
  });

  test('end with the most tokens that a number holds where there are more, and others of the request are written', async () => {
    const { root, model } = treeOf(newTraceId());
    const huge = Array.from({ length: 520 }, (_, index) => ({
      ...model,
      spanId: hex(index + 2),
      attributes: [
        text('gen_ai.operation.name', 'chat'),
        number('gen_ai.usage.input_tokens', Number.MAX_SAFE_INTEGER),
        number('gen_ai.usage.output_tokens', Number.MAX_SAFE_INTEGER),
      ],
    }));
    const other = treeOf(newTraceId()); // a later trace: the first fails before it is looked at
    await accepted(...huge, root, other.root, other.model);
    const ended = await readRun(await runOfTrace(root.traceId));
    expect(ended).toMatchObject({ status: 'succeeded', tokens: Number.MAX_SAFE_INTEGER });
    expect(await readRun(await runOfTrace(other.root.traceId))).toMatchObject({ status: 'succeeded', tokens: 42 });
  });

  test('map every operation name to one of our kinds', async () => {
    const { root } = treeOf(newTraceId());
    await accepted({ ...root, attributes: [text('gen_ai.operation.name', '__proto__')] });
    expect(await level(await runOfTrace(root.traceId))).toMatchObject([{ kind: 'other' }]);
  });

  test('have one run also where batches of them come at once', async () => {
    const traceId = newTraceId();
    const { root } = treeOf(traceId);
    await Promise.all(
      Array.from({ length: 8 }, (_, index) => accepted({ ...root, spanId: hex(index + 2), parentSpanId: hex(1) })),
    );
    expect((await readRun(await runOfTrace(traceId))).counts.spans).toBe(8);
  });

  test('of many traces are written in one request, which makes 100 runs at most', async () => {
    const spans = Array.from({ length: 120 }, () => treeOf(newTraceId()).root);
    const traceIds = spans.map(({ traceId }) => traceId);
    const made = () => countRows(api.database, 'runs WHERE trace_id = ANY($1)', [traceIds]);
    const reply = await send(requestOf(spans));
    const errorMessage = expect.stringContaining('at most 100 runs') as string;
    expect([reply.status, reply.json]).toEqual([200, { partialSuccess: { rejectedSpans: '20', errorMessage } }]);
    expect(await made()).toBe(100);
    await accepted(...spans);
    expect(await made()).toBe(120);
  });

  test('keep what was said only where the caller asks for it', async () => {
    const { tool } = treeOf(newTraceId());
    const unstorable = text('output.value', '"half \\ud800 and \\u0000"');
    // Google's ADK puts whole prompts and answers there by default, OpenInference the call of a function.
    const adk = ['gcp.vertex.agent.llm_request', 'gcp.vertex.agent.llm_response', 'gcp.vertex.agent.tool_response'];
    const more = [...adk, 'gcp.vertex.agent.tool_call_args', 'llm.function_call'].map((name) => text(name, 'of Ada'));
    const said = { ...tool, attributes: [...tool.attributes, text('tool.args', 'Ada'), ...more, unstorable] };
    const shown = async (traceId: string, headers: Record<string, string>) => {
      const reply = await send(requestOf([{ ...said, traceId }]), { headers });
      expect([reply.status, reply.json]).toEqual([200, {}]);
      return api.call('GET', `/api/v2/runs/${await runOfTrace(traceId)}/spans/${hex(3)}`, { key });
    };
    expect((await shown(newTraceId(), {})).text).not.toContain('Ada');
    const captured = await shown(newTraceId(), { 'X-Service-Capture-Content': 'true' });
    expect(dataOf(captured, spanSchema)).toMatchObject({
      input: { customer: 'Ada' },
      output: '"half \\ud800 and \\u0000"',
      error: { type: 'LookupError', message: 'Ada?' },
      attributes: { 'tool.args': 'Ada', 'gcp.vertex.agent.llm_request': 'of Ada' },
    });
  });
});

test.each([
  ['numbers', (digits: string) => digits],
  ['texts', (digits: string) => `"${digits}"`],
])('integers of 64 bits are read from %s, every digit', async (_, written) => {
  const traceId = newTraceId();
  const attribute = `{"key":"order","value":{"intValue":${written('9223372036854775807')}}}`;
  const span = `{"traceId":"${traceId}","spanId":"${hex(1)}","name":"s","startTimeUnixNano":${written(nano(1))},
    "endTimeUnixNano":${written(nano(2))},"droppedAttributesCount":${written('3')},"attributes":[${attribute}]}`;
  const reply = await api.call('POST', PATH, { key, raw: `{"resourceSpans":[{"scopeSpans":[{"spans":[${span}]}]}]}` });
  expect([reply.status, reply.json]).toEqual([200, {}]);
  const run = await runOfTrace(traceId);
  expect(await readRun(run)).toMatchObject({ tokens: null, startedAt: '2026-01-01T00:00:01.000Z', durationMs: 1_000 });
  expect(await level(run)).toMatchObject([{ attributes: { order: '9223372036854775807' } }]);
});

test('the reply says where contents were cut, and rejects nothing', async () => {
  const { root } = treeOf(newTraceId());
  const said = { ...root, attributes: [text('input.value', 'x'.repeat(70_000))] };
  const reply = await send(requestOf([said]), { headers: { 'X-Service-Capture-Content': 'true' } });
  const errorMessage = expect.stringContaining('the contents of 1 span were cut') as string;
  expect([reply.status, reply.json]).toEqual([200, { partialSuccess: { errorMessage } }]);
});

describe('a run that spans name', () => {
  const named = (run: string, traceId: string) => ({
    ...treeOf(traceId).root,
    attributes: [text('service.run.id', run)],
  });

  test('gets them, and does not end with the root of a trace', async () => {
    const run = await beginRun(key);
    const traceId = newTraceId();
    await accepted(named(run, traceId));
    expect(await readRun(run)).toMatchObject({ status: 'running', counts: { spans: 1 } });
    expect(await runsOfTrace(traceId)).toEqual([]);
  });

  test('of another environment is none, and nothing is written there: the other spans are', async () => {
    const { tenant, tenants } = api.database;
    const neighbour = Object.values(tenants).find(({ environmentId }) => environmentId !== tenant.environmentId);
    const theirs = await beginRun((await api.createKey(neighbour ?? tenant)).key);
    const [lost, kept] = [newTraceId(), newTraceId()];
    const reply = await send(
      requestOf([named(theirs, lost), named('run_nonsense', lost), { ...treeOf(kept).root, traceId: kept }]),
    );
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ partialSuccess: { rejectedSpans: '2' } });
    expect(await runOfTrace(kept)).not.toBe('');
    const written = await api.database.asOwner('SELECT FROM spans WHERE run_id = $1 OR trace_id = $2', [theirs, lost]);
    expect(written).toEqual([]);
  });
});

test('spans that cannot be are rejected, and the others are written', async () => {
  const traceId = newTraceId();
  const { root } = treeOf(traceId);
  const reply = await send(
    requestOf([
      root,
      { ...root, traceId: '0'.repeat(32) },
      { ...root, spanId: 'abcd' },
      { ...root, spanId: hex(7), startTimeUnixNano: '0' },
      { ...root, spanId: hex(8), attributes: [text('big', 'x'.repeat(70_000))] },
    ]),
  );
  expect(reply.status).toBe(200);
  const { partialSuccess } = reply.json as { partialSuccess: { rejectedSpans: string; errorMessage: string } };
  expect(partialSuccess.rejectedSpans).toBe('4');
  expect(partialSuccess.errorMessage).toContain('a span is too large');
  expect((await readRun(await runOfTrace(traceId))).counts.spans).toBe(1);
});

test('names are shortened between characters', async () => {
  const traceId = newTraceId();
  await accepted({ ...treeOf(traceId).root, name: `x${'😀'.repeat(300)}` });
  expect((await readRun(await runOfTrace(traceId))).name).toBe(`x${'😀'.repeat(199)}`);
});

test('a gzip body is unpacked', async () => {
  const traceId = newTraceId();
  const raw = gzipSync(JSON.stringify(requestOf([treeOf(traceId).root], [text('service.name', 'packed')])));
  const reply = await api.call('POST', PATH, { key, raw, headers: { 'Content-Encoding': 'gzip' } });
  expect([reply.status, reply.text]).toEqual([200, '{}']);
  const listed = await api.call('GET', '/api/v2/runs?application=packed', { key });
  expect(dataOf(listed, z.array(listedRunSchema))).toMatchObject([{ id: await runOfTrace(traceId) }]);
});

test('the rate limit of the workspace counts its requests', async () => {
  const { production } = await api.database.anotherWorkspace();
  const { workspaceId } = production;
  await api.database.db.withWorkspace(workspaceId, (tx) => setPlan(tx, 'free'));
  const { key: theirs } = await api.createKey(production);
  const first = await send(requestOf([]), { key: theirs });
  expect([first.status, first.headers.get('X-RateLimit-Remaining')]).toEqual([200, '299']);
  await api.database.asOwner('UPDATE rate_windows SET minute_used = 300 WHERE workspace_id = $1', [workspaceId]);
  const refused = await send(requestOf([]), { key: theirs });
  expect([refused.status, refused.headers.get('X-RateLimit-Remaining')]).toEqual([429, null]);
  expect(refused.json).toEqual({ code: 8, message: expect.stringContaining('RATE_LIMIT_EXCEEDED') as string });
});

test('each new run counts as a request, and ten that are there as one', async () => {
  const { production } = await api.database.anotherWorkspace();
  await api.database.db.withWorkspace(production.workspaceId, (tx) => setPlan(tx, 'free'));
  const { key: theirs } = await api.createKey(production);
  const spans = Array.from({ length: 100 }, () => treeOf(newTraceId()).root);
  const used = async (sent: readonly object[]): Promise<number> => {
    expect((await send(requestOf([...sent]), { key: theirs })).status).toBe(200);
    const rows = await api.database.asOwner<{ minute_used: number }>(
      'SELECT minute_used FROM rate_windows WHERE workspace_id = $1',
      [production.workspaceId],
    );
    return rows[0]?.minute_used ?? 0;
  };
  expect(await used(spans.slice(0, 1))).toBe(1);
  expect(await used(spans)).toBe(1 + 99 + 1);
  expect(await used(spans)).toBe(101 + 10);
});

/** Messages within messages, as Protocol Buffers has them: a tag, a length, bytes. */
function nested(tags: readonly number[], inner: Uint8Array): Uint8Array {
  return tags.reduceRight<Uint8Array>((bytes, tag) => {
    const length: number[] = [];
    for (let left = bytes.length; ; left >>>= 7) {
      length.push(left < 128 ? left : (left & 127) | 128);
      if (left < 128) break;
    }
    return Buffer.concat([Buffer.from([tag, ...length]), bytes]);
  }, inner);
}

const PROTOBUF = { 'Content-Type': 'application/x-protobuf' };
const GZIP = { 'Content-Encoding': 'gzip' };
/** A million spans of two bytes each. */
const manyEmpty = (): Uint8Array => nested([0x0a, 0x12], Buffer.alloc(2_000_000, Buffer.from([0x12, 0x00])));
const refusals: [string, number, number, string, () => CallOptions][] = [
  ['JSON that is none', 400, 3, 'VALIDATION_ERROR', () => ({ raw: '{' })],
  ['JSON of another form', 400, 3, 'VALIDATION_ERROR', () => ({ body: { resourceSpans: 5 } })],
  ['another protobuf', 400, 3, 'VALIDATION_ERROR', () => ({ raw: new Uint8Array([0x0a, 0x7f]), headers: PROTOBUF })],
  ['what is not gzip', 400, 3, 'VALIDATION_ERROR', () => ({ raw: '{}', headers: GZIP })],
  ['another encoding', 415, 3, 'UNSUPPORTED_MEDIA_TYPE', () => ({ raw: '{}', headers: { 'Content-Encoding': 'br' } })],
  ['another type', 415, 3, 'UNSUPPORTED_MEDIA_TYPE', () => ({ raw: 'x', headers: { 'Content-Type': 'text/plain' } })],
  ['a long body', 413, 8, 'PAYLOAD_TOO_LARGE', () => ({ raw: Buffer.alloc(4_194_305, ' ') })],
  ['a bomb', 413, 8, 'PAYLOAD_TOO_LARGE', () => ({ raw: gzipSync(Buffer.alloc(50_000_000, ' ')), headers: GZIP })],
  ['many messages', 400, 3, 'more than 500000 fields', () => ({ raw: manyEmpty(), headers: PROTOBUF })],
  ['many members', 400, 3, 'more than 500000 values', () => ({ raw: `[${'{},'.repeat(300_000)}{}]` })],
  ['many spans', 413, 8, 'at most 5000 spans', () => ({ body: requestOf(Array.from({ length: 5_001 }, () => ({}))) })],
  ['no key', 401, 16, 'AUTHENTICATION_ERROR', () => ({ key: 'nonsense', body: {} })],
];

/** In protobuf: the code is field 1, the message field 2. */
function statusIn({ headers, text: body, json }: CallResult): unknown {
  if (headers.get('Content-Type') !== PROTOBUF['Content-Type']) return json;
  const [codeTag, code, messageTag] = Buffer.from(body);
  return codeTag === 0x08 && messageTag === 0x12 ? { code, message: body } : null;
}

test.each(refusals)('refuses %s as google.rpc.Status: %i', async (_, status, code, words, options) => {
  const sent = options();
  const reply = await api.call('POST', PATH, { key, ...sent });
  const isProtobuf = sent.headers === PROTOBUF;
  expect([reply.status, reply.headers.get('Content-Type')?.split(';')[0]]).toEqual([
    status,
    isProtobuf ? 'application/x-protobuf' : 'application/json',
  ]);
  expect(statusIn(reply)).toEqual({ code, message: expect.stringContaining(words) as string });
});

test('needs runs:write, and answers POST', async () => {
  const reader = await api.createKey(api.database.tenant, { scopes: ['runs:read'] });
  const refused = await send(requestOf([]), { key: reader.key });
  expect([refused.status, refused.json]).toEqual([
    403,
    { code: 7, message: expect.stringContaining('runs:write') as string },
  ]);
  const got = await api.call('GET', PATH, { key });
  expect([got.status, got.headers.get('Allow')]).toEqual([405, 'POST, OPTIONS']);
});
