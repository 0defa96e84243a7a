import { describe, expect, test } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { DOCS_SCHEMAS } from '../../../api/docs/schemas.ts';
import { startDocsServer } from './docs-server.ts';

interface Summary {
  route: string;
  json: string;
  markdownUrl: string;
  url: string;
  title: string;
  contentType: string;
  lastModified: string | null;
}
interface Index {
  count: number;
  pages: Summary[];
  site: string | null;
}

const SITE = 'https://docs.example.com';
/** At an address of its own, below a prefix. */

const docs = await startDocsServer();
const elsewhere = await startDocsServer({ site: SITE, base: '/handbook' });
const index = (await (await fetch(`${docs.baseUrl}/api/docs/pages.json`)).json()) as Index;

const get = async (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${docs.baseUrl}${path}`, { redirect: 'manual', ...init });

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema({ $id: 'docs', components: { schemas: DOCS_SCHEMAS } });

function expectValid(schema: keyof typeof DOCS_SCHEMAS, value: unknown): void {
  const validate = ajv.getSchema(`docs#/components/schemas/${schema}`);
  if (validate === undefined) throw new Error(`no schema ${schema}`);
  if (validate(value) !== true) throw new Error(`${schema}: ${ajv.errorsText(validate.errors)}`);
}

async function expectProblem(response: Response, status: number, code: string): Promise<Record<string, unknown>> {
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  const problem = (await response.json()) as Record<string, unknown>;
  expectValid('Problem', problem);
  expect(problem).toMatchObject({ status, code, type: 'about:blank' });
  return problem;
}

describe('every reply', () => {
  test.each([
    ['PagesIndex', '/api/docs/pages.json'],
    ['Page', '/api/docs/pages/messages.json'],
    ['Navigation', '/api/docs/navigation.json'],
    ['SearchResponse', '/api/docs/search?q=receipts'],
    ['AgentReadability', '/agent-readability.json'],
  ] as const)('is a valid %s: %s', async (schema, path) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const text = await response.text();
    const value: unknown = JSON.parse(text);
    expectValid(schema, value);
    expect(text).toBe(`${JSON.stringify(value, null, 2)}\n`);
  });

  test.each([
    ['/api/docs/pages.json', 'public, max-age=300, stale-while-revalidate=86400'],
    ['/llms.txt', 'public, max-age=300, stale-while-revalidate=86400'],
    ['/api/docs/search?q=a', 'public, max-age=60'],
    ['/openapi.json', 'public, max-age=300, stale-while-revalidate=86400'],
  ])('may be read by every site and kept: %s', async (path, kept) => {
    const { headers } = await get(path);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(headers.get('cache-control')).toBe(kept);
    expect(headers.get('set-cookie')).toBeNull();
    expect(headers.get('vary')).toContain('Accept-Encoding');
  });

  test('counts its pages, and lists them in the order of the navigation', async () => {
    expect(index.count).toBe(index.pages.length);
    expect(index.site).toBeNull();
    const { sidebar } = (await (await get('/api/docs/navigation.json')).json()) as { sidebar: Node[] };
    expect(index.pages.map(({ route }) => route)).toEqual(routesIn(sidebar));
  });
});

interface Node {
  kind: 'page' | 'group';
  route: string;
  children: Node[];
}
const routesIn = (nodes: readonly Node[]): string[] =>
  nodes.flatMap((node) => (node.kind === 'page' ? [node.route] : routesIn(node.children)));

describe('every page', () => {
  test('has the same Markdown at its two addresses, byte for byte, and a page for people', async () => {
    for (const { route, json, markdownUrl, url } of index.pages) {
      const [asJson, asMarkdown, asHtml] = await Promise.all([get(json), get(markdownUrl), get(url)]);
      expect([asJson.status, asMarkdown.status, asHtml.status], route).toEqual([200, 200, 200]);
      const page = (await asJson.json()) as { markdown: string };
      expectValid('Page', page);
      expect(Buffer.from(await asMarkdown.arrayBuffer()).equals(Buffer.from(page.markdown)), route).toBe(true);
      expect(asMarkdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
      expect(asMarkdown.headers.get('link')).toBe(`<${url}>; rel="canonical"`);
      expect(await asHtml.text()).toMatch(/^<!doctype html>/i);
    }
  });

  test('begins with its frontmatter, names llms.txt at its top, and is below 50,000 characters', async () => {
    for (const { route, markdownUrl } of index.pages) {
      const text = await (await get(markdownUrl)).text();
      expect(text, route).toMatch(/^---\n[^]*?\n---\n/);
      expect(text.slice(0, 1_200), route).toContain('llms.txt');
      expect(text.length, route).toBeLessThan(50_000);
      expect(/[\u{E000}\u{E001}]/u.test(text), route).toBe(false);
    }
  });

  test('links only to what is there', async () => {
    const answers = new Map<string, number>();
    for (const { route, markdownUrl } of index.pages) {
      for (const address of linksIn(await (await get(markdownUrl)).text())) {
        // The service's own paths are served beside these, and tested there.
        if (!/\.md(#|$)/.test(address) && !address.startsWith('/llms')) continue;
        const path = address.replace(/#.*/, '');
        const status = answers.get(path) ?? (await get(path)).status;
        answers.set(path, status);
        expect(status, `${route} links to ${address}`).toBe(200);
      }
    }
    expect(answers.size).toBeGreaterThan(50);
  });

  test('has absolute addresses below the prefix where an origin is given, and answers there only', async () => {
    const at = async (path: string): Promise<Response> => fetch(`${elsewhere.baseUrl}${path}`);
    const found = (await (await at('/handbook/api/docs/pages.json')).json()) as Index;
    expect(found.site).toBe(SITE);
    expect(found.count).toBe(index.count);
    const page = found.pages.find(({ route }) => route === '/cookbook');
    expect(page).toMatchObject({
      json: `${SITE}/handbook/api/docs/pages/cookbook.json`,
      markdownUrl: `${SITE}/handbook/cookbook.md`,
      url: `${SITE}/handbook/docs/cookbook`,
    });
    const text = await (await at('/handbook/cookbook.md')).text();
    expect(linksIn(text).filter((link) => !link.startsWith('https://'))).toEqual([]);
    for (const link of [...linksIn(text), ...found.pages.map(({ url }) => url)]) {
      if (!link.startsWith(`${SITE}/handbook/`)) continue;
      expect((await at(link.slice(SITE.length).replace(/#.*/, ''))).status, link).toBe(200);
    }
    expect(await (await at('/handbook/sitemap.xml')).text()).toContain(`<loc>${SITE}/handbook/docs/messages</loc>`);
    expect((await at('/cookbook.md')).status).toBe(404);
    expect((await at('/api/docs/pages.json')).status).toBe(404);
  });
});

/** What the Markdown outside code links to on this host. */
function linksIn(markdown: string): string[] {
  const prose = markdown.replaceAll(/^(```+)[^]*?^\1/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^()\s#][^()\s]*)\)/g)].map(([, address = '']) => address);
}

describe('an address that is not there', () => {
  test('of a page is a problem that names the route, and says where to look', async () => {
    const problem = await expectProblem(await get('/api/docs/pages/nope.json'), 404, 'PAGE_NOT_FOUND');
    expect(problem).toMatchObject({
      detail: 'No documentation page has the route "/nope".',
      instance: '/api/docs/pages/nope.json',
      resolution: 'List every page at /api/docs/pages.json, or discover the API through /openapi.json.',
    });
  });

  test('of the API is a problem with links', async () => {
    const problem = await expectProblem(await get('/api/docs/nope'), 404, 'API_ROUTE_NOT_FOUND');
    expect(problem['links']).toEqual([
      { href: '/openapi.json', label: 'OpenAPI description' },
      { href: '/api/docs/pages.json', label: 'Page index' },
    ]);
    await expectProblem(await get('/api/other', { method: 'POST' }), 404, 'API_ROUTE_NOT_FOUND');
  });

  test('of a Markdown page is Markdown, whose links all answer', async () => {
    const response = await get('/guides/nope.md');
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    const links = linksIn((await response.text()).replace(/^.*`.*$/m, ''));
    expect(links).toContain('/llms.txt');
    for (const link of links) expect((await get(link)).status, link).toBe(200);
  });

  test.each([
    ['..%2f..%2fetc%2fpasswd', '/../../etc/passwd'],
    ['..%2f..%2fpackage', '/../../package'],
    ['%00', '/\0'],
    ['%zz', '/%zz'],
    ['%E0%A4%A', '/%E0%A4%A'],
    ['__proto__', '/__proto__'],
    ['constructor', '/constructor'],
    [`${'a/'.repeat(5_000)}b`, `/${'a/'.repeat(5_000)}b`],
  ])('is never a file or a failure: %s', async (escaped, route) => {
    const problem = await expectProblem(await get(`/api/docs/pages/${escaped}.json`), 404, 'PAGE_NOT_FOUND');
    expect(problem['detail']).toBe(`No documentation page has the route "${route}".`);
    expect((await get(`/${escaped}.md`)).status).toBe(404);
    expect((await get(`/docs/${escaped}.md`)).status).toBe(404);
  });

  test.each(['/llms.txt', '/actions.md', '/api/docs/pages.json', '/docs/actions'])(
    'a method that %s has not is refused',
    async (path) => {
      const response = await get(path, { method: 'DELETE' });
      expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
      await expectProblem(response, 405, 'METHOD_NOT_ALLOWED');
    },
  );
});

describe('a reader who has a copy', () => {
  test.each(['/api/docs/pages.json', '/api/docs/pages/actions.json', '/actions.md', '/llms-full.txt', '/docs/actions'])(
    'is answered 304 in every encoding: %s',
    async (path) => {
      const tags = new Set<string>();
      for (const encoding of ['identity', 'gzip', 'br']) {
        const headers = { 'Accept-Encoding': encoding };
        const whole = await get(path, { headers });
        expect(whole.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
        const tag = whole.headers.get('etag') ?? '';
        expect(tag).toMatch(/^"[0-9a-f]{64}(-br|-gzip)?"$/);
        tags.add(tag);
        const again = await get(path, { headers: { ...headers, 'If-None-Match': `"other", W/${tag}` } });
        expect(again.status).toBe(304);
        expect(await again.text()).toBe('');
        expect(again.headers.get('etag')).toBe(tag);
        const head = await get(path, { method: 'HEAD', headers });
        expect([head.status, head.headers.get('etag')]).toEqual([200, tag]);
        expect(head.headers.get('content-length')).toBe(whole.headers.get('content-length'));
        expect(await head.text()).toBe('');
      }
      expect(tags.size).toBe(3);
      expect((await get(path, { headers: { 'If-None-Match': '"other"' } })).status).toBe(200);
    },
  );
});

describe('a page is sent as Markdown', () => {
  test.each([
    ['text/markdown', true],
    ['text/x-markdown', true],
    ['text/markdown, text/html', true],
    ['text/html;q=0.9, text/markdown;q=0.9', true],
    ['text/markdown, */*', true],
    ['text/html, text/markdown;q=0.9', false],
    ['text/markdown;q=0', false],
    ['TEXT/MARKDOWN; Q=1', true],
    ['text/html', false],
    ['*/*', false],
    ['text/*', false],
    ['', false],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false],
  ])('to one who accepts “%s”: %s', async (accept, isMarkdown) => {
    const response = await get('/docs/actions', { headers: { Accept: accept } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(`text/${isMarkdown ? 'markdown' : 'html'}; charset=utf-8`);
    expect(response.headers.get('vary')?.split(', ').toSorted()).toEqual(['Accept', 'Accept-Encoding']);
    if (!isMarkdown) return;
    const text = await response.text();
    expect(text).toBe(await (await get('/actions.md')).text());
    expect(Number(response.headers.get('x-markdown-tokens'))).toBe(Math.ceil(Buffer.byteLength(text) / 4));
  });
});

test('other sites are told what they may send', async () => {
  const response = await get('/docs/mcp', {
    method: 'OPTIONS',
    headers: {
      Origin: 'https://app.example.com',
      'Access-Control-Request-Headers': 'content-type,mcp-protocol-version',
    },
  });
  expect(response.status).toBe(204);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('access-control-allow-methods')).toContain('POST');
  expect(response.headers.get('access-control-allow-headers')).toBe('content-type,mcp-protocol-version');
});

describe('/openapi.json', () => {
  test('describes every route of this API, with schemas that are there', async () => {
    const text = await (await get('/openapi.json')).text();
    const document = JSON.parse(text) as { paths: Record<string, unknown>; components: { schemas: object } };
    expect(Object.keys(document.paths)).toEqual([
      '/api/docs/pages.json',
      '/api/docs/pages/{route}.json',
      '/api/docs/navigation.json',
      '/api/docs/search',
      '/{route}.md',
      '/llms.txt',
      '/llms-full.txt',
      '/agent-readability.json',
      '/docs/mcp',
    ]);
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      expect(document.components.schemas).toHaveProperty(name);
    }
  });
});

describe('agent-readability.json', () => {
  test('names addresses that answer', async () => {
    const { artifacts } = (await (await get('/agent-readability.json')).json()) as {
      artifacts: Record<string, string | Record<string, string>>;
    };
    const addresses = Object.values(artifacts).flatMap((each) =>
      typeof each === 'string' ? [each] : Object.values(each),
    );
    for (const address of addresses.filter((each) => each.startsWith('/'))) {
      const path = address.replace('{route}', 'actions').replace(/search$/, 'search?q=a');
      expect((await get(path)).status, path).toBe(200);
    }
  });
});
