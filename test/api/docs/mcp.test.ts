import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, describe, expect, test } from 'vitest';
import { startDocsServer } from './docs-server.ts';

const docs = await startDocsServer();
const client = new Client({ name: 'test', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(`${docs.baseUrl}/docs/mcp`)));
afterAll(async () => {
  await client.close();
});

async function call(name: string, input: Record<string, unknown> = {}): Promise<{ text: string; isError: boolean }> {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const [first] = content as { type: string; text: string }[];
  return { text: first?.text ?? '', isError: isError === true };
}
const get = async (path: string): Promise<string> => (await fetch(`${docs.baseUrl}${path}`)).text();

describe('the official client', () => {
  test('lists the four tools', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search_docs', 'get_page', 'list_pages', 'get_navigation']);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    expect(tools[0]?.inputSchema.properties).toHaveProperty('query');
    expect(tools[0]?.inputSchema.required).toEqual(['query']);
    expect(tools[1]?.inputSchema.required).toEqual(['route']);
  });

  test('searches as the route does', async () => {
    const { text } = await call('search_docs', { query: 'reciept', limit: 3 });
    const { results } = JSON.parse(await get('/api/docs/search?q=reciept&limit=3')) as { results: unknown[] };
    expect(JSON.parse(text)).toEqual(results);
    const narrowed = await call('search_docs', { query: 'action', contentTypes: 'adr', limit: 500, filters: 'no' });
    expect(JSON.parse(narrowed.text)).not.toHaveLength(0);
    expect(new Set((JSON.parse(narrowed.text) as { contentType: string }[]).map((hit) => hit.contentType))).toEqual(
      new Set(['adr']),
    );
    expect(JSON.parse((await call('search_docs', { query: '' })).text)).toEqual([]);
  });

  test.each(['/messages', 'messages', '/messages.md', '/docs/messages', 'https://example.com/docs/messages#top'])(
    'reads a page by %s',
    async (route) => {
      expect(await call('get_page', { route })).toEqual({ text: await get('/messages.md'), isError: false });
    },
  );

  test('reads the home page, and the page that is called as the endpoint', async () => {
    expect((await call('get_page', { route: '/' })).text).toBe(await get('/index.md'));
    expect((await call('get_page', { route: 'index' })).text).toBe(await get('/index.md'));
    expect((await call('get_page', { route: '/docs/mcp' })).text).toBe(await get('/mcp.md'));
  });

  test('is told of a page that is not there', async () => {
    expect(await call('get_page', { route: '/nope' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('/nope') as string,
    });
    expect(await call('get_page')).toMatchObject({
      isError: true,
      text: expect.stringContaining('`route`') as string,
    });
  });

  test('lists the pages and the navigation as the routes do', async () => {
    const { pages } = JSON.parse(await get('/api/docs/pages.json')) as { pages: unknown[] };
    expect(JSON.parse((await call('list_pages')).text)).toEqual(pages);
    expect(JSON.parse((await call('list_pages', { contentTypes: ['adr'] })).text)).not.toHaveLength(pages.length);
    expect((await call('get_navigation')).text).toBe((await get('/api/docs/navigation.json')).trimEnd());
  });
});

describe('a message without the client', () => {
  const post = async (body: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${docs.baseUrl}/docs/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
    });

  test('is answered in JSON', async () => {
    const response = await post('{"jsonrpc":"2.0","id":7,"method":"tools/list"}', { Accept: 'application/json' });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: 7, result: { tools: expect.any(Array) as [] } });
  });

  test.each([
    ['{', 400, -32_700],
    ['[]', 400, -32_600],
    ['[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]', 400, -32_600],
  ])('%s is refused', async (body, status, code) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code } });
  });

  test('of more than 64 KiB is a problem', async () => {
    const response = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x'.repeat(70_000) }));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', type: 'about:blank' });
  });
});

test('GET is the page about MCP, and opens no stream', async () => {
  expect(await get('/docs/mcp')).toMatch(/^<!doctype html>/i);
  const stream = await fetch(`${docs.baseUrl}/docs/mcp`, { headers: { Accept: 'text/event-stream' } });
  expect(stream.status).toBe(405);
});
