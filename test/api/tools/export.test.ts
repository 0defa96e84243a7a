import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../domain/json.ts';
import { startTestApi } from '../harness/test-api.ts';

/** Actions as the definitions of tools, as the provider's API takes them. */

const SCHEMA = {
  type: 'object',
  properties: { payment: { type: 'string' }, amount: { oneOf: [{ type: 'integer' }, { type: 'null' }] }, näme: {} },
  required: ['payment'],
};

const api = await startTestApi();
const { key } = await api.createKey(api.database.tenant);
await make('refund.create', { description: 'Pays back.', inputSchema: SCHEMA });
await make('refund_list', { inputSchema: { type: 'object' } }, { method: 'GET' });
await make('note.add', { description: 'é'.repeat(1_500) });

async function make(name: string, more: JsonObject, config: JsonObject = {}): Promise<void> {
  const body = {
    name,
    adapter: { type: 'http.request', config: { method: 'POST', url: 'https://api.example.com', ...config } },
    ...more,
  };
  const reply = await api.call('POST', '/api/v2/actions', { key, body });
  expect(reply.status, reply.text).toBe(201);
}

interface Exported {
  data: {
    tools: JsonObject[];
    names: Record<string, string>;
    dropped: { tool: string; path: string; keyword: string }[];
  };
  pagination: { total: number; hasMore: boolean };
}

async function exported(query: string): Promise<Exported> {
  const reply = await api.call('GET', `/api/v2/actions/tools?${query}`, { key });
  expect(reply.status, reply.text).toBe(200);
  return reply.json as Exported;
}

describe('the export', () => {
  it('for OpenAI', async () => {
    const { data } = await exported('format=openai&actions=refund.*');
    expect(data).toEqual({
      tools: [
        {
          type: 'function',
          function: {
            name: 'refund__create',
            description: 'Pays back.',
            parameters: { ...SCHEMA, properties: { payment: { type: 'string' }, amount: {}, näme: {} } },
            strict: false,
          },
        },
      ],
      names: { refund__create: 'refund.create' },
      dropped: [
        { tool: 'refund__create', path: '/properties/amount', keyword: 'oneOf', reason: 'the format does not take it' },
      ],
    });
  });

  it('for Anthropic', async () => {
    const { data } = await exported('format=anthropic&actions=refund.*');
    const { näme: _gone, ...properties } = SCHEMA.properties;
    expect(data.tools).toEqual([
      { name: 'refund__create', description: 'Pays back.', input_schema: { ...SCHEMA, properties } },
    ]);
    expect(data.dropped).toMatchObject([{ tool: 'refund__create', path: '/properties', keyword: 'näme' }]);
  });

  it('for MCP, under the names of the actions, and with what they declare', async () => {
    const { data } = await exported('format=mcp&actions=refund?*');
    expect(data.names).toEqual({ 'refund.create': 'refund.create', refund_list: 'refund_list' });
    expect(data.tools).toMatchObject([
      { name: 'refund.create', inputSchema: SCHEMA, annotations: { readOnlyHint: false, destructiveHint: true } },
      { name: 'refund_list', annotations: { readOnlyHint: true, destructiveHint: false } },
    ]);
    expect(data.dropped).toEqual([]);
  });

  it('says what is too long for the format', async () => {
    const { data } = await exported('format=openai&actions=note.add,none');
    const note = data.tools.map((tool) => tool['function'] as JsonObject).find(({ name }) => name === 'note__add');
    expect(note?.['description']).toBe('é'.repeat(1_024));
    expect(data.dropped).toMatchObject([{ tool: 'note__add', path: '', keyword: 'description' }]);
  });

  it('comes in pages, and one underscore of a glob is one', async () => {
    const first = await exported('format=mcp&limit=2');
    const second = await exported('format=mcp&limit=2&page=2');
    expect([first, second].flatMap(({ data }) => Object.keys(data.names))).toEqual([
      'note.add',
      'refund.create',
      'refund_list',
    ]);
    expect([first.pagination.hasMore, second.pagination.hasMore]).toEqual([true, false]);
    expect((await exported('format=mcp&actions=refund_*')).pagination.total).toBe(1);
  });

  it.each(['', 'format=gemini', 'format=mcp&actions=A', `format=mcp&actions=${Array(21).fill('a').join(',')}`])(
    'refuses "%s"',
    async (query) => {
      expect(await api.call('GET', `/api/v2/actions/tools?${query}`, { key })).toMatchObject({ status: 400 });
    },
  );
});

it('every reply had the schema of its route', () => expect(api.replyViolations).toEqual([]));
