import { describe, expect, test } from 'vitest';
import { QUERY_CHARACTERS_MAX } from '../../../domain/docs/search.ts';
import { NetworkBudget, POINTS } from '../../../api/docs/network-budget.ts';
import { startDocsServer } from './docs-server.ts';

const TAKES_MAX = 1_000;

interface Found {
  count: number;
  query: string;
  results: { route: string; excerpt: string; contentType: string; facets: Record<string, string> }[];
}

const docs = await startDocsServer();

async function search(parameters: string): Promise<Found> {
  const response = await fetch(`${docs.baseUrl}/api/docs/search?${parameters}`);
  expect(response.status, parameters).toBe(200);
  return (await response.json()) as Found;
}
const routes = async (parameters: string): Promise<string[]> =>
  (await search(parameters)).results.map(({ route }) => route);

describe('a misspelt word of five letters or more finds what was meant', () => {
  test.each([
    ['reciept', '/receipts'],
    ['receits', '/receipts'],
    ['idempotancy key', '/idempotency'],
    ['aprovals', '/approvals'],
    ['wbehook event', '/events'],
    ['secrte', '/secrets'],
    ['budgte', '/budgets'],
    ['schedulle', '/schedules'],
    ['mesages', '/messages'],
  ])('%s', async (query, route) => {
    expect((await routes(`q=${encodeURIComponent(query)}`))[0]).toBe(route);
  });
});

test('a word of the titles comes before the same word in texts', async () => {
  expect((await routes('q=cache'))[0]).toBe('/cache');
  expect((await routes('q=flow+control'))[0]).toBe('/flow-control');
});

describe('the parameters', () => {
  test.each([
    ['limit=3', 3],
    ['limit=0', 1],
    ['limit=-5', 1],
    ['limit=1000', 20],
    ['limit=2.9', 2],
    ['limit=many', 8],
    ['limit=', 8],
    ['', 8],
  ])('%s: %d results', async (parameter, count) => {
    const found = await search(`q=action&${parameter}`);
    expect(found.count).toBe(count);
    expect(found.results).toHaveLength(count);
  });

  test('narrow by type, facet and language; malformed names of facets and versions are left aside', async () => {
    const types = (await search('q=action&contentTypes=adr,howto&limit=20')).results.map((hit) => hit.contentType);
    expect(new Set(types)).toEqual(new Set(['adr', 'howto']));
    const repeated = await search('q=action&contentTypes=adr&contentTypes=howto&limit=20');
    expect(repeated.count).toBe(types.length);
    const ofMessages = await search('q=delivery&filters%5Barea%5D=messages');
    expect(ofMessages.results.map(({ facets }) => facets['area'])).toContain('messages');
    expect(new Set(ofMessages.results.map(({ facets }) => facets['area']))).toEqual(new Set(['messages']));
    expect(await routes('q=delivery&filters%5Barea%5D=MESSAGES')).toEqual([]);
    expect(await routes('q=delivery&filters%5Btostring%5D=x')).toEqual([]);
    expect(await routes('q=delivery&locale=fr')).toEqual([]);
    const plain = await routes('q=delivery');
    expect(await routes('q=delivery&filters%5B%5D=x&filters=y&filters%5Ba=z&version=v9&locale=en')).toEqual(plain);
  });

  test('a query is trimmed and cut', async () => {
    expect((await search('q=%20%20receipts%20')).query).toBe('receipts');
    const long = await search(`q=${'receipts+'.repeat(200)}`);
    expect(long.query.length).toBeLessThanOrEqual(QUERY_CHARACTERS_MAX);
    expect(long.results[0]?.route).toBe('/receipts');
  });

  test.each(['', 'q=', 'q=%20%09'])('a query that is missing or blank is a problem: %s', async (parameters) => {
    const response = await fetch(`${docs.baseUrl}/api/docs/search?${parameters}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'MISSING_QUERY',
      title: 'Missing search query',
      instance: '/api/docs/search',
      resolution: 'Repeat the request with ?q=<search terms>, e.g. /api/docs/search?q=install.',
    });
  });

  test.each(['%00', '…', '日本語', '"\'`{}[]', 'the of and', '__proto__', 'constructor'])(
    'a query of %s is answered',
    async (query) => {
      const found = await search(`q=${query.startsWith('%') ? query : encodeURIComponent(query)}`);
      expect(found.results).toHaveLength(found.count);
    },
  );
});

describe('a network that asks too much', () => {
  test('is told to wait, and is served again', async () => {
    let now = 0;
    const flooded = await startDocsServer({ budget: new NetworkBudget(() => now) });
    try {
      const ask = async (at: number): Promise<Response> => fetch(`${flooded.baseUrl}/api/docs/search?q=word${at % 5}`);
      const replies = await Promise.all(Array.from({ length: 1_000 }, async (_, at) => ask(at)));
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(400);
      const refused = replies.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(600);
      expect(refused[0]?.headers.get('retry-after')).toBe('1');
      expect(refused[0]?.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(await refused[0]?.json()).toMatchObject({ code: 'TOO_MANY_REQUESTS', status: 429 });
      now = 1_000;
      expect((await ask(0)).status).toBe(200);
    } finally {
      await flooded.close();
    }
  });

  test('has a budget of its own, an IPv6 network as a whole', () => {
    let now = 0;
    const budget = new NetworkBudget(() => now);
    const searches = (address: string): number => {
      let count = 0;
      // A budget without a bound ends the test, too.
      while (count < TAKES_MAX && budget.take(address, POINTS.search)) count++;
      return count;
    };
    const burst = searches('2001:db8::1');
    expect(burst).toBe(400);
    expect(searches('2001:db8::2')).toBe(0);
    expect(searches('192.0.2.1')).toBe(burst);
    now = 1_000;
    expect(searches('2001:db8::3')).toBe(200);
    now = 1_000_000;
    expect(searches('2001:db8::3')).toBe(burst);
  });
});
