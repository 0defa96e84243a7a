import { OwnEndpoints } from '../../activities/adapters/http-request/own-endpoints.ts';
import { sendRequest } from '../../activities/adapters/http-request/send-request.ts';
import { Deadline } from '../../domain/deadline.ts';
import { configuredEndpoints, endpointOf, type OwnEndpoint, parseOwnEndpoint } from '../../domain/own-endpoints.ts';
import { type Check, fail, type Finding, ok, skipped } from './check.ts';
import { textOf } from './run-checks.ts';
import type { Settings } from './settings.ts';

const HEALTH = 'operations.md#health-checks';
const PROXIES = 'operations.md#what-else-it-needs';
const REPLY_MS_MAX = 3_000;
const REPLY_BYTES_MAX = 64 * 1024;
/** Any route that asks for a credential. */
const GUARDED_PATH = '/api/v2/actions';

interface Reply {
  status: number;
  text: string;
}

async function get(url: string): Promise<Reply> {
  using deadline = new Deadline(REPLY_MS_MAX);
  const reply = await fetch(url, { redirect: 'manual', signal: deadline.signal });
  return { status: reply.status, text: (await reply.text()).slice(0, REPLY_BYTES_MAX) };
}

/** Asks a listener of ours, and says what is wrong where it does not answer 200. */
async function asked(url: string, what: string, remedy: string): Promise<Finding> {
  try {
    const { status, text } = await get(url);
    if (status === 200) return ok(`${what} answers at ${url}.`);
    return fail(`${what} answers ${status} at ${url}${partsOf(text)}`, remedy);
  } catch (error) {
    return fail(`${what} does not answer at ${url} (${textOf(error)})`, remedy);
  }
}

/** What `/readyz` says is not up. */
function partsOf(text: string): string {
  const parts = [...text.matchAll(/"(\w+)":"(down|none)"/g)].map(([, part, state]) => `${part} is ${state}`);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

const listener = (
  name: string,
  holds: string,
  page: string,
  what: string,
  read: (settings: Settings) => string | null,
  path: string,
): Check => ({
  name,
  page,
  holds,
  run: ({ settings }) => {
    const address = read(settings);
    if (address === null) return skipped(`${what} is not switched on in this environment.`);
    return asked(`http://${address}${path}`, what, 'start the process that has it, or correct the address');
  },
});

/** The service's own listeners, how clients reach it, and that no action does. */
export const REACH_CHECKS: readonly Check[] = [
  {
    name: 'api',
    page: HEALTH,
    holds: 'The API of this machine is ready',
    run: ({ settings: { apiUrl } }) =>
      apiUrl === null
        ? skipped('This environment is a worker’s: it has HEALTH_ADDRESS and no PORT.')
        : asked(`${apiUrl}/readyz`, 'The API', 'start it, or look into its log'),
  },
  listener(
    'worker-health',
    'The worker of this machine is ready',
    HEALTH,
    'The worker’s health port',
    ({ values }) => values.HEALTH_ADDRESS,
    '/readyz',
  ),
  listener(
    'metrics',
    'METRICS_ADDRESS serves metrics',
    'metrics.md#switch-them-on',
    'METRICS_ADDRESS',
    ({ values }) => values.METRICS_ADDRESS,
    '/metrics',
  ),
  listener(
    'temporal-metrics',
    'TEMPORAL_METRICS_ADDRESS serves metrics',
    'metrics.md#switch-them-on',
    'TEMPORAL_METRICS_ADDRESS',
    ({ values }) => values.TEMPORAL_METRICS_ADDRESS,
    '/metrics',
  ),
  {
    name: 'public-url',
    page: PROXIES,
    holds: 'PUBLIC_URL leads to the API',
    run: async ({ settings: { values } }) => {
      const url = values.PUBLIC_URL;
      if (url === null)
        return skipped('PUBLIC_URL is not set: OAuth, links to approvals and /mcp under a public name need it.');
      const found = await asked(`${url}/healthz`, 'PUBLIC_URL', 'correct PUBLIC_URL, its name or the proxy');
      if (found.status !== 'ok') return found;
      const { text } = await get(`${url}/healthz`);
      return text.includes('"status":"up"')
        ? ok(`PUBLIC_URL leads to an API (${url}).`)
        : fail(`Something else than the API answers at ${url}`, 'correct PUBLIC_URL or the proxy');
    },
  },
  {
    name: 'trusted-proxies',
    page: PROXIES,
    holds: 'The API sees that requests through PUBLIC_URL came by https',
    needs: ['public-url'],
    run: async ({ settings: { values } }) => {
      const url = values.PUBLIC_URL ?? '';
      if (!url.startsWith('https://')) return skipped('PUBLIC_URL is not https.');
      return judgeProxied(await get(`${url}${GUARDED_PATH}`));
    },
  },
  {
    name: 'egress-guard',
    page: 'operations.md#the-services-own-ports-are-no-destination',
    holds: 'No action reaches the service’s own ports',
    run: ({ settings }) => judgeGuard(settings),
  },
];

export function judgeProxied({ status, text }: Reply): Finding {
  if (text.includes('HTTPS_REQUIRED')) {
    return fail(
      'The API does not see that a request through PUBLIC_URL came by https, and refuses it',
      'name the proxy’s address in TRUSTED_PROXIES, and let it send X-Forwarded-Proto',
    );
  }
  return status === 401
    ? ok('The API sees that requests through PUBLIC_URL came by https.')
    : fail(
        `A request without a credential gets ${status} through PUBLIC_URL, and not 401`,
        'let the proxy hand it to the API',
      );
}

/** Sends what an action would send, with the guard that a worker has. */
async function judgeGuard(settings: Settings): Promise<Finding> {
  const { values, dataDir, apiUrl } = settings;
  const api = apiUrl === null ? [] : [endpointOf(apiUrl)];
  const known = configuredEndpoints({ ...values, OWN_ENDPOINTS: values.OWN_ENDPOINTS ?? [] });
  const internal = [values.METRICS_ADDRESS, values.HEALTH_ADDRESS].flatMap(
    (address) => parseOwnEndpoint(address ?? '') ?? [],
  );
  // With npm start, the worker is in the process of the API and knows it.
  const ownEndpoints = new OwnEndpoints([...known, ...internal, ...(dataDir === null ? [] : api)]);
  const targets = [...new Map([...known, ...internal, ...api].map((one) => [`${one.host}:${one.port}`, one])).values()];
  const reached = await Promise.all(
    targets.map(async (target) =>
      (await isReached(target, { ownEndpoints, egressAllow: values.EGRESS_ALLOW ?? [] })) ? [target] : [],
    ),
  );
  const open = reached.flat().map(({ host, port }) => `${host}:${port}`);
  return open.length > 0
    ? fail(
        `A worker of this environment lets actions call ${open.join(', ')}, which are the service’s own`,
        'name them in OWN_ENDPOINTS',
      )
    : ok(`The egress guard refuses ${targets.length} ports of the service.`);
}

async function isReached({ host, port }: OwnEndpoint, options: Parameters<typeof sendRequest>[0]): Promise<boolean> {
  if (port === null) return false; // the whole host, which is named in OWN_ENDPOINTS
  const authority = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const request = {
    method: 'GET',
    url: `http://${authority}/healthz`,
    headers: {},
    body: null,
    bodyEncoding: 'utf8',
  } as const;
  using deadline = new Deadline(REPLY_MS_MAX);
  const limits = { timeoutMs: REPLY_MS_MAX, signal: deadline.signal };
  const sent = await sendRequest(options, request, { bytesMax: REPLY_BYTES_MAX, larger: 'no_answer' }, limits);
  return sent.kind !== 'blocked' && sent.kind !== 'not_sent';
}
