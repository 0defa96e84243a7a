import { freePort } from '../../embedded/ports.ts';
import { callJson } from '../../embedded/http-json.ts';
import { type RunningService, startService } from '../invoke/service.ts';
import { CALL_TIMEOUT_MS, COUNTER_CAP, INPUT_SCHEMA } from './job.ts';
import type { Servers } from './servers.ts';
import { type Answer, type Peer, post, type Side, type SideName } from './side.ts';
import { countEventsOf } from './workflow-events.ts';

const DATABASE = 'peer_ours';
const SECRET_NAME = 'bench_credential';
const ACTIONS = { governed: 'peers.governed', ungoverned: 'peers.ungoverned' } as const;
type Kind = keyof typeof ACTIONS;

/**
 * The service as `npm start` runs it: one process is API and worker, with eager start. PostgreSQL and Temporal are the
 * bench's, so that they outlive a kill of that process, as they do in any other deployment.
 */
export async function startOurs(
  dataDir: string,
  servers: Servers,
  kinds: readonly Kind[],
  nodeFlags: readonly string[],
  database = DATABASE,
): Promise<Peer & { ask: Ask }> {
  const settings = {
    DATABASE_URL: await servers.createDatabase(database),
    TEMPORAL_ADDRESS: servers.temporalAddress,
    PORT: `${await freePort()}`,
  };
  const start = (): Promise<RunningService> => startService(dataDir, nodeFlags, {}, settings);
  let service = await start();
  const { baseUrl } = service.credentials;
  const keyOf = (name: string): string =>
    service.credentials.keys.find((key) => key.environment === 'development' && key.name === name)?.key ?? '';
  const owner = { authorization: `Bearer ${keyOf('full_access')}` };
  const ask: Ask = async (method, path, body) => {
    const reply = await callJson(`${baseUrl}${path}`, { method, headers: owner, body });
    if (reply.status >= 300) throw new Error(`${method} ${path} answered ${JSON.stringify(reply)}`);
    return reply.body;
  };
  await setUp(ask, servers);
  const caller = { authorization: `Bearer ${keyOf('standard')}` };
  const sideOf = (kind: Kind): Side => ({
    name: `ours, ${kind}` satisfies SideName,
    database,
    send: (key, message) =>
      invoke(
        new URL(`/api/v2/actions/${ACTIONS[kind]}/invoke`, baseUrl),
        { ...caller, 'idempotency-key': key },
        message,
      ),
    recorded: async (_key, answer) => {
      const { data } = (await ask('GET', `/api/v2/actions/invocations/${idOf(answer)}`)) as {
        data: { status: string };
      };
      return data.status;
    },
    reserved: () => (kind === 'governed' ? reservedOf(ask) : Promise.resolve(null)),
    cpu: () => ({
      side: servers.cpuOf(service.pid),
      postgres: servers.cpuOf(servers.postgresPid),
      engine: servers.cpuOf(servers.temporalPid),
    }),
    countEvents: (answers) =>
      countEventsOf(servers.temporal, new Set(answers.map(({ answer }) => idOf(answer))), answers.length),
  });
  return {
    name: 'ours',
    sides: kinds.map(sideOf),
    kill: () => service.kill(),
    start: async () => {
      service = await start();
    },
    stop: () => service.stop(),
    ask,
  };
}

/** Calls a route with a key that may do everything. Rejects where it answers no success. */
export type Ask = (method: string, path: string, body?: unknown) => Promise<unknown>;

async function setUp(ask: Ask, { target }: Servers): Promise<void> {
  await ask('PUT', `/api/v2/secrets/${SECRET_NAME}`, { value: target.secret });
  const definition = {
    inputSchema: INPUT_SCHEMA,
    timeoutMs: CALL_TIMEOUT_MS,
    adapter: {
      type: 'http.request',
      config: {
        method: 'POST',
        url: target.url,
        headers: { authorization: `Bearer {{secret:${SECRET_NAME}}}` },
        body: { message: '{{input.message}}' },
        idempotencyHeader: 'Idempotency-Key',
      },
    },
  };
  const impact = [{ dimension: 'orders', amount: { const: 1 }, bound: 'exact' }];
  await ask('POST', '/api/v2/actions', { ...definition, name: ACTIONS.governed, impact });
  await ask('POST', '/api/v2/actions', { ...definition, name: ACTIONS.ungoverned });
  await ask('POST', '/api/v2/impact-limits', {
    name: 'orders of the bench',
    dimension: 'orders',
    cap: COUNTER_CAP,
    period: 'lifetime',
    scope: { actions: [ACTIONS.governed] },
  });
}

async function reservedOf(ask: Ask): Promise<number> {
  const { data } = (await ask('GET', '/api/v2/impact-limits')) as { data: { reserved: number; settled: number }[] };
  const [limit] = data;
  if (limit === undefined) throw new Error('the bench has an impact limit');
  return limit.reserved + limit.settled;
}

const FINAL = new Set(['succeeded', 'failed', 'refused', 'unknown']);

async function invoke(url: URL, headers: Record<string, string>, message: string): Promise<Answer> {
  const { status, text } = await post(url, headers, { input: { message } });
  const outcome = status === 200 ? (dataOf(text)?.status ?? null) : null;
  return { status, text, outcome: outcome !== null && FINAL.has(outcome) ? outcome : null };
}

function idOf({ text }: Answer): string {
  return dataOf(text)?.id ?? '';
}

function dataOf(text: string): { id: string; status: string } | undefined {
  return (JSON.parse(text) as { data?: { id: string; status: string } }).data;
}
