import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from 'mcp-sdk-v1/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from 'mcp-sdk-v1/client/streamableHttp.js';
import { Client as ClientV122 } from 'mcp-sdk-v1-22/client/index.js';
import { StreamableHTTPClientTransport as TransportV122 } from 'mcp-sdk-v1-22/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OWN_TOOLS } from '../../../api/mcp/own-tools.ts';
import { inlined } from '../../../api/mcp/output-schemas.ts';
import { schemasOf } from '../../../api/mcp/tool-schemas.ts';
import { type JsonObject, textOf } from '../../../domain/json.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';

/**
 * The official clients that hosts embed: the newest of version 1, an older one, and version 2 with both handshakes. Each holds what is
 * structured in an answer to the tool's output schema, and throws the answer away where it does not fit.
 */
const [service, target] = await Promise.all([startTestService(), startTarget()]);

interface Result {
  isError?: boolean | undefined;
  content: { type: string; text?: string }[];
  structuredContent?: JsonObject;
}

/** What the tests use of each client. */
interface Connected {
  listTools(): Promise<{ tools: { name: string; outputSchema?: unknown }[] }>;
  callTool(call: { name: string; arguments: JsonObject }): Promise<unknown>;
  close(): Promise<void>;
}

const info = { name: 'host', version: '1.0.0' };
const CLIENTS: Record<string, (url: URL, headers: Record<string, string>) => Promise<Connected>> = {
  'v1, the newest': async (url, headers) => {
    const client = new ClientV1(info);
    await client.connect(new TransportV1(url, { requestInit: { headers } }));
    return client;
  },
  'v1.22': async (url, headers) => {
    const client = new ClientV122(info);
    // Its own declarations do not fit each other under exactOptionalPropertyTypes.
    await client.connect(new TransportV122(url, { requestInit: { headers } }) as Parameters<typeof client.connect>[0]);
    return client;
  },
  'v2, the newest revision': async (url, headers) => {
    const client = new Client(info, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    return client;
  },
  'v2, a revision of 2025': async (url, headers) => {
    const client = new Client(info, { versionNegotiation: { mode: 'legacy' } });
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    return client;
  },
};

async function makeAction(name: string, more: JsonObject): Promise<void> {
  const reply = await service.post('/api/v2/actions', {
    name,
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
      additionalProperties: false,
    },
    adapter: {
      type: 'http.request',
      config: { method: 'POST', url: `${target.baseUrl}/ok`, body: { id: '{{input.id}}' } },
    },
    ...more,
  });
  expect(reply.status, reply.text).toBe(201);
}

await makeAction('note', {});
await makeAction('ask', { governed: true, approval: { required: true }, mcp: { pinned: true } });
await makeAction('down', { governed: true });
const policy = {
  schema: 'approval-policy/v1',
  name: 'no-down',
  priority: 1,
  rules: [{ id: 'no', match: { actions: ['down'] }, effect: 'deny' }],
};
const made = await service.post('/api/v2/approval-policies', { document: policy });
if (made.status !== 201) throw new Error(made.text);

describe.each(Object.keys(CLIENTS))('%s', (name) => {
  let client: Connected;
  beforeAll(async () => {
    const headers = { Authorization: `Bearer ${service.key}` };
    const connected = await CLIENTS[name]?.(new URL('/mcp', service.baseUrl), headers);
    if (connected === undefined) throw new Error(`no client ${name}`);
    client = connected;
    // From now on the client holds each answer to the schema that it has read.
    await client.listTools();
  });
  afterAll(async () => client?.close());

  const call = async (tool: string, given: JsonObject): Promise<Result> =>
    (await client.callTool({ name: tool, arguments: given })) as Result;

  it.each([
    ...OWN_TOOLS.map((tool) => [tool.name, { nothing: 'of this' }, 'VALIDATION_ERROR'] as const),
    ['describe_action', { action: 'nowhere' }, 'NOT_FOUND'],
    ['get_invocation', { id: 'inv_0000000000000000000000' }, 'NOT_FOUND'],
    ['invoke_action', { action: 'note', input: { wrong: 1 } }, 'VALIDATION_ERROR'],
    ['ask', { wrong: 1 }, 'VALIDATION_ERROR'],
  ] as const)('hands the agent an error of %s %j: %s', async (tool, given, code) => {
    const result = await call(tool, given);
    expect([result.isError, result.structuredContent]).toEqual([true, undefined]);
    expect(result.content[0]?.text).toMatch(new RegExp(`^${code}: `));
    expect(JSON.parse(result.content[1]?.text ?? '')).toMatchObject({ success: false, error: { code } });
  });

  it('hands the agent receipts of every end as records that fit their schemas', async () => {
    const done = await call('invoke_action', { action: 'note', input: { id: 'a' } });
    const parked = await call('ask', { id: 'b' });
    const refused = await call('invoke_action', { action: 'down', input: { id: 'c' } });
    const statuses = [done, parked, refused].map(({ isError, structuredContent = {} }) => [
      isError ?? false,
      textOf(structuredContent, 'status'),
    ]);
    expect(statuses).toEqual([
      [false, 'succeeded'],
      [false, 'pending_approval'],
      [false, 'refused'],
    ]);
    const ids = [done, parked, refused].map(({ structuredContent = {} }) => structuredContent);
    const read = ids.flatMap(({ id, effectId }): [string, unknown][] => [
      ['get_invocation', id],
      ...(typeof effectId === 'string' ? [['get_effect', effectId] as [string, unknown]] : []),
    ]);
    for (const [tool, id] of read)
      expect((await call(tool, { id: String(id) })).structuredContent).toMatchObject({ id });
    const others: [string, JsonObject][] = [
      ['search_actions', {}],
      ['describe_action', { action: 'ask' }],
      ['preview_action', { action: 'ask', input: { id: 'd' } }],
      ['publish_message', { url: `${target.baseUrl}/ok`, body: {} }],
      ['search_memory', { query: 'x' }],
    ];
    for (const [tool, given] of others) {
      const result = await call(tool, given);
      expect([tool, result.isError ?? false, typeof result.structuredContent]).toEqual([tool, false, 'object']);
    }
  });
});

describe('the schemas of a tool', () => {
  it.each(OWN_TOOLS.map((tool) => [tool.name, tool] as const))('%s hold no reference', (_name, tool) => {
    expect(JSON.stringify(schemasOf(tool))).not.toMatch(/"\$ref"|"\$defs"/);
  });

  it('that contains itself are cut where they repeat', () => {
    const list = {
      anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/$defs/List', description: 'more' } }],
    };
    expect(inlined({ properties: { list: { $ref: '#/$defs/List' } }, $defs: { List: list } })).toEqual({
      properties: { list: { anyOf: [{ type: 'string' }, { type: 'array', items: { description: 'more' } }] } },
    });
  });
});
