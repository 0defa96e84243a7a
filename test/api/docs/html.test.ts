import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { get } from 'node:http';
import { describe, expect, test } from 'vitest';
import { loadDocsIndex } from '../../../api/docs/load-index.ts';
import { ROUTES } from '../../../api/routes.ts';
import { WARNING_CODES } from '../../../domain/actions/warnings.ts';
import { errorRoute, operationRoute, refusalRoute, warningRoute } from '../../../domain/docs/code-routes.ts';
import { ERROR_TABLE, type ErrorCode } from '../../../domain/errors.ts';
import { GOVERNANCE_WARNING_CODES } from '../../../domain/governance-warnings.ts';
import { REFUSAL_CODES } from '../../../domain/refusals.ts';
import { startDocsServer } from './docs-server.ts';

/** The pages for people, as HTTP shows them; the browser looks at some of them in browser.test.ts. */

/** The HTML of every page by its path, with the places that it links to. */
const read = new Map<string, { html: string; ids: string[]; links: string[] }>();

const server = await startDocsServer();
const { pages } = await loadDocsIndex();
for (const { route } of pages) {
  const reply = await fetch(`${server.baseUrl}/docs${route}`, { headers: { accept: 'text/html' } });
  if (reply.status !== 200) throw new Error(`${route} answers ${reply.status}`);
  const html = await reply.text();
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);
  const links = [...html.matchAll(/ (?:href|src|action)="([^"]*)"/g)].map(([, link = '']) => link);
  read.set(`/docs${route}`, { html, ids: ids, links: links.map((link) => link.replaceAll('&amp;', '&')) });
}

const visit = async (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.baseUrl}${path}`, { headers: { accept: 'text/html', ...headers }, redirect: 'manual' });

/** What the API serves beside the documentation. */
const OF_THE_API = new Set(['/reference', '/console/e', '/api/v2/openapi.json']);

describe('every page', () => {
  test('links only to what is there, with the anchors that are there', async () => {
    const broken: string[] = [];
    const fetched = new Map<string, number>();
    for (const [from, { links }] of read) {
      for (const link of links) {
        if (/^(https?:|data:)/.test(link)) continue;
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? from : decodeURI(path);
        const page = read.get(target);
        if (page !== undefined) {
          if (anchor !== undefined && !page.ids.includes(decodeURIComponent(anchor))) broken.push(`${from} → ${link}`);
          continue;
        }
        if (OF_THE_API.has(target)) continue;
        const status = fetched.get(target) ?? (await visit(path)).status;
        fetched.set(target, status);
        if (status !== 200) broken.push(`${from} → ${link}: ${status}`);
      }
    }
    expect(broken).toEqual([]);
    // The address of the Markdown, the style sheet, what is made for agents.
    expect(fetched.size).toBeGreaterThan(read.size);
  });

  test('runs nothing and is styled by its sheet alone', () => {
    for (const [path, { html }] of read) {
      const bad = /<script|<style|<iframe| style=| on[a-z]+=|javascript:|[\u{E000}\u{E001}]/u.exec(
        html.replaceAll(/<code[^]*?<\/code>/g, ''),
      );
      expect([path, bad?.[0]]).toEqual([path, undefined]);
    }
  });

  test('has one title, one main heading, its place in the sidebar, and its Markdown beside it', () => {
    for (const { route, title } of pages) {
      const { html, ids, links } = read.get(`/docs${route}`) ?? { html: '', ids: [], links: [] };
      expect([route, ids.filter((id, index) => ids.indexOf(id) < index)]).toEqual([route, []]);
      expect([route, html.match(/<h1[ >]/g)?.length, html.match(/<main /g)?.length]).toEqual([route, 1, 1]);
      expect([route, html.match(/ aria-current="page"/g)?.length]).toEqual([route, 1]);
      expect(links).toContain(route === '/' ? '/index.md' : `${route}.md`);
      expect(html).toContain('<title>');
      expect(title).not.toBe('');
    }
  });

  test('leads to the one before and the one after, in the order of the sidebar', () => {
    pages.forEach(({ route }, index) => {
      const { html = '' } = read.get(`/docs${route}`) ?? {};
      const links = /<nav class="around"[^]*?<\/nav>/.exec(html)?.[0] ?? '';
      const beside = [...links.matchAll(/(Previous|Next): <a href="([^"]+)"/g)].map(
        ([, which, href]) => `${which} ${href}`,
      );
      const [before, after] = [pages[index - 1], pages[index + 1]];
      expect([route, ...beside]).toEqual([
        route,
        ...(before === undefined ? [] : [`Previous /docs${before.route}`]),
        ...(after === undefined ? [] : [`Next /docs${after.route}`]),
      ]);
    });
  });
});

test('each operation and each code has its page, whose last part is its name', () => {
  const wanted = [
    ...ROUTES.map(({ id }) => operationRoute(id)),
    ...(Object.keys(ERROR_TABLE) as ErrorCode[]).map(errorRoute),
    ...REFUSAL_CODES.map(refusalRoute),
    ...[...WARNING_CODES, ...GOVERNANCE_WARNING_CODES].map(warningRoute),
  ];
  const routes = new Set(pages.map(({ route }) => route));
  expect(wanted.filter((route) => !routes.has(route))).toEqual([]);
  expect(wanted.length).toBeGreaterThan(ROUTES.length);
});

test('the list of operations leads to the page of each once, and the sidebar leads to the lists', () => {
  const { html = '' } = read.get('/docs/reference/operations') ?? {};
  const [, article = ''] = /<article>([^]*)<\/article>/.exec(html) ?? [];
  const listed = [...article.matchAll(/<li><a href="\/docs([^"]+)">/g)].map(([, route = '']) => route);
  expect(listed.toSorted()).toEqual(ROUTES.map(({ id }) => operationRoute(id)).toSorted());
  const { links = [] } = read.get('/docs/reference/events') ?? {};
  for (const list of ['operations', 'errors', 'refusals', 'warnings'])
    expect(links).toContain(`/docs/reference/${list}`);
});

test('the page of an operation has its parameters, its body, its errors with what to do, and the recorded example', () => {
  const { html = '' } = read.get('/docs/reference/operations/actions.invoke') ?? {};
  const text = html.replaceAll(/<[^>]+>/g, '');
  expect(text).toContain('Idempotency-Key');
  expect(text).toContain('operationKey');
  expect(html).toContain('<a href="/docs/reference/errors/PREVIEW_EXPIRED"><code>PREVIEW_EXPIRED</code></a>');
  expect(text).toContain('curl -sS -X POST $BASE/api/v2/actions/refund.create/invoke');
  expect(text).toContain('"grade": "acknowledged"');
});

describe('over HTTP', () => {
  test('a page has a strict policy, names what is for agents, and says that it varies', async () => {
    const { headers } = await visit('/docs/quickstart');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('link')).toBe(
      '</openapi.json>; rel="service-desc", </agent-readability.json>; rel="describedby", ' +
        '</llms.txt>; rel="describedby"; type="text/plain", </quickstart.md>; rel="alternate"; type="text/markdown"',
    );
    expect(headers.get('vary')?.toLowerCase().split(', ')).toEqual(
      expect.arrayContaining(['accept', 'accept-encoding']),
    );
    expect(headers.get('cache-control')).toBe('public, max-age=300, stale-while-revalidate=86400');
    expect((await visit('/docs/')).headers.get('link')).toContain('</index.md>; rel="alternate"');
  });

  test('a reader who has the page gets 304, and each form has a strong tag of its own', async () => {
    const etags = new Set<string>();
    const unpacked = { identity: (body: Buffer) => body, gzip: gunzipSync, br: brotliDecompressSync };
    for (const encoding of ['identity', 'gzip', 'br'] as const) {
      const first = await raw('/docs/quickstart', { 'accept-encoding': encoding });
      const { etag = '' } = first.headers as { etag?: string };
      expect(etag).toMatch(/^"[0-9a-f]{64}/);
      etags.add(etag);
      const again = await raw('/docs/quickstart', { 'accept-encoding': encoding, 'if-none-match': etag });
      expect([again.status, again.body.length]).toEqual([304, 0]);
      expect(unpacked[encoding](first.body).toString()).toBe(read.get('/docs/quickstart')?.html);
    }
    expect(etags.size).toBe(3);
  });

  test('a reader of Markdown gets the Markdown of the same page', async () => {
    const reply = await visit('/docs/quickstart', { accept: 'text/markdown, text/html;q=0.9' });
    expect(reply.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(await reply.text()).toBe(await (await visit('/quickstart.md')).text());
  });

  test('a path that nobody has is a 404 with a page that leads on, without the path as markup', async () => {
    const reply = await visit('/docs/nowhere/%3Cb%3E');
    const html = await reply.text();
    expect([reply.status, reply.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(html).toContain('<h1>There is no such page</h1>');
    expect(html).not.toContain('<b>');
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('below a prefix every address of the documentation has it, and those of the API have not', async () => {
    const prefixed = await startDocsServer({ base: '/handbook', site: 'https://docs.example.com' });
    const reply = await fetch(`${prefixed.baseUrl}/handbook/docs/api`, { headers: { accept: 'text/html' } });
    const html = await reply.text();
    const start = await fetch(`${prefixed.baseUrl}/handbook/`, {
      headers: { accept: 'text/html' },
      redirect: 'manual',
    });
    expect(start.headers.get('location')).toBe('/handbook/docs/');
    const outside = await fetch(`${prefixed.baseUrl}/docs/api`, { headers: { accept: 'text/html' } });
    await prefixed.close();
    expect(outside.status).toBe(404);
    const links = [...html.matchAll(/ (?:href|action)="(\/[^"]*)"/g)].map(([, link = '']) => link.replace(/#.*/, ''));
    expect(links.filter((link) => !link.startsWith('/handbook/') && !OF_THE_API.has(link))).toEqual([]);
    expect(html).toContain('<link rel="canonical" href="https://docs.example.com/handbook/docs/api">');
  });
});

describe('pictures', () => {
  test('are served beside the pages that show them', async () => {
    const html = await (await visit('/docs/operations')).text();
    const [, src = ''] = /<img[^>]* src="([^"]+)"/.exec(html) ?? [];
    expect(src).toBe('/docs/images/invocation-in-temporal.jpg');
    const reply = await visit(src, { accept: 'image/webp,*/*' });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect(
      Buffer.from(await reply.arrayBuffer())
        .subarray(0, 2)
        .toString('hex'),
    ).toBe('ffd8');
    expect((await visit('/docs/images/..%2fnavigation.js', { accept: 'image/webp' })).status).toBe(404);
    expect((await visit('/docs/images/none.webp', { accept: 'image/webp' })).status).toBe(404);
  });
});

describe('the search', () => {
  test('lists the pages that the form asks for, and shows the query as text', async () => {
    const html = await (await visit(`/docs/search?q=${encodeURIComponent('idempotancy <b>"key')}`)).text();
    expect(html).toContain('href="/docs/idempotency"');
    expect(html).toContain('<h1>Search: idempotancy &lt;b&gt;&quot;key</h1>');
    expect(html).toContain('value="idempotancy &lt;b&gt;&quot;key"');
    expect(html).toContain('<meta name="robots" content="noindex">');
  });

  test('says that it found nothing, and asks for a query where there is none', async () => {
    expect(await (await visit('/docs/search?q=zxqvzxqv')).text()).toContain('No page has these words.');
    expect(await (await visit('/docs/search')).text()).toContain('Write what you look for');
  });
});

describe('the root', () => {
  test('leads a person to the console, and a reader of Markdown to the documentation', async () => {
    const places = { 'text/html,application/xhtml+xml,*/*;q=0.8': '/console/e', 'text/markdown': '/docs/' };
    for (const [accept, place] of Object.entries(places)) {
      const reply = await visit('/', { accept });
      expect([reply.status, reply.headers.get('location')]).toEqual([302, place]);
    }
  });

  test('tells everybody else in JSON what there is', async () => {
    const reply = await visit('/', { accept: '*/*' });
    expect(Object.values((await reply.json()) as object)).toEqual(
      expect.arrayContaining(['/docs/', '/llms.txt', '/openapi.json', '/api/v2/openapi.json', '/mcp', '/docs/mcp']),
    );
    expect(reply.headers.get('vary')).toBe('Accept');
  });
});

/** As the bytes come: `fetch` unpacks them. */
function raw(
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; headers: object; body: Buffer }> {
  return new Promise((resolve, reject) => {
    get(`${server.baseUrl}${path}`, { headers: { accept: 'text/html', ...headers } }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }),
      );
    }).on('error', reject);
  });
}
