import { ROUTES } from '../../api/routes.ts';
import type { Credentials } from '../../embedded/credentials.ts';
import { measureCalls, row, summarize } from '../latencies.ts';

const P50_MS_MAX = 50;
const P99_MS_MAX = 250;
const DAY_MS = 86_400_000;
const RANGES_DAYS = [1, 30, 90];
const LOAD_CALLERS = 4;
/** What a route cannot do without, each in turn. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  '/api/v2/analytics/time-series': [
    'metric=invocations.ended&groupBy=agent',
    'metric=messages.ended&groupBy=label',
    'metric=delivery.latency.p95&groupBy=url',
    'metric=cost',
  ],
};

/** The time of each operation over the last day, month and quarter while invocations run beside; lines of the report. */
export async function measureOperations(
  credentials: Credentials,
  invoke: () => Promise<void>,
  calls: number,
): Promise<string[]> {
  const key = credentials.keys.find(({ environment, name }) => environment === 'development' && name === 'full_access');
  if (key === undefined) throw new Error('there is no key of development with full access');
  const routes = ROUTES.filter(({ method, path }) => method === 'GET' && path.startsWith('/api/v2/analytics/'));
  if (routes.length === 0) return ['No route of analytics is served.'];
  const headers = { authorization: `Bearer ${key.key}` };
  const lines = ['| Operation | p50 | p99 | max | calls |', '| --- | --- | --- | --- | --- |'];
  const missed: string[] = [];
  const load = startLoad(invoke);
  try {
    for (const { path, request } of routes)
      for (const query of QUERIES[path] ?? [''])
        for (const days of request.query?.shape['from'] === undefined ? [0] : RANGES_DAYS) {
          const range =
            days === 0 ? '' : `from=${encodeURIComponent(new Date(Date.now() - days * DAY_MS).toISOString())}`;
          const url = `${credentials.baseUrl}${path}?${[range, query].filter((part) => part !== '').join('&')}`;
          const latencies = summarize({ rounds: [await measureCalls(() => get(url, headers), calls)] });
          const name = `${path.slice('/api/v2/analytics/'.length)} ${query} ${days === 0 ? '' : `${days} d`}`.trim();
          lines.push(row(name, latencies));
          if (latencies.p50Ms > P50_MS_MAX || latencies.p99Ms > P99_MS_MAX) missed.push(name);
        }
  } finally {
    await load.stop();
  }
  const aim = `p50 below ${P50_MS_MAX} ms and p99 below ${P99_MS_MAX} ms`;
  return [...lines, '', missed.length === 0 ? `${aim}: met by all.` : `${aim}: **missed** by ${missed.join(', ')}.`];
}

async function get(url: string, headers: Record<string, string>): Promise<void> {
  const response = await fetch(url, { headers });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 300)}`);
}

/** Invocations, a few at once, until it is stopped. */
function startLoad(invoke: () => Promise<void>): { stop: () => Promise<unknown> } {
  const stopping = new AbortController();
  const caller = async (): Promise<void> => {
    while (!stopping.signal.aborted) await invoke();
  };
  const callers = Promise.all(Array.from({ length: LOAD_CALLERS }, caller));
  return {
    stop: () => {
      stopping.abort();
      return callers;
    },
  };
}
