import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const LOOPBACK = '127.0.0.1';

/**
 * How the target misbehaves. `lose_answer`: it does what it was asked, and closes the connection without an answer. `hang`: it does it,
 * and never answers. `reset`: it closes the connection and has done nothing. `unavailable`: 503, and it has done nothing.
 */
export type Fault = 'lose_answer' | 'hang' | 'reset' | 'unavailable';

export interface TargetRequest {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Parsed where it is JSON, else the text; null where it is empty. */
  body: unknown;
  /** What stands where the route has `{name}`. */
  params: Record<string, string>;
}

export interface TargetAnswer {
  /** 200 where it is left out. */
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
}

export type TargetHandler = (request: TargetRequest) => TargetAnswer | Promise<TargetAnswer>;

/** A target on this machine, for actions to call. Its state is whatever its handlers keep. */
export interface FakeTarget {
  readonly url: string;
  /** Every request that it received, also those that it misbehaved at. */
  readonly requests: readonly TargetRequest[];
  /** `POST /refunds`, `GET /refunds/{id}`. A route that is given twice has the newer handler. */
  on(route: string, handler: TargetHandler): void;
  /** The next request of the route, or the next `times`, meet the fault. */
  misbehave(route: string, fault: Fault, times?: number): void;
  /** Closes every connection, also those that hang. */
  stop(): Promise<void>;
}

interface Route {
  pattern: RegExp;
  names: string[];
  handler: TargetHandler | null;
  faults: Fault[];
}

/** Starts a target on a free port of the loopback. A request of an unknown route gets 404. */
export async function startFakeTarget(): Promise<FakeTarget> {
  const routes = new Map<string, Route>();
  const requests: TargetRequest[] = [];
  const routeOf = (route: string): Route => {
    const known = routes.get(route) ?? parseRoute(route);
    routes.set(route, known);
    return known;
  };
  const server = createServer((incoming, response) => {
    answer(incoming, response, routes, requests).catch((error: unknown) => {
      // A handler that throws is a mistake of the test: the action sees 500, and the reason.
      send(response, { status: 500, body: { error: error instanceof Error ? error.message : String(error) } });
    });
  });
  server.listen(0, LOOPBACK);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${LOOPBACK}:${port}`,
    requests,
    on: (route, handler) => {
      routeOf(route).handler = handler;
    },
    misbehave: (route, fault, times = 1) => {
      routeOf(route).faults.push(...Array.from({ length: times }, () => fault));
    },
    stop: () => stop(server),
  };
}

/** @throws {TypeError} where it is not a method and a path. */
function parseRoute(route: string): Route {
  const [, method, path] = /^([A-Z]+) (\/\S*)$/.exec(route) ?? [];
  if (method === undefined || path === undefined)
    throw new TypeError(`"${route}" is no route: write "GET /refunds/{id}"`);
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const escaped = path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, '([^/]+)');
  return { pattern: new RegExp(`^${method} ${escaped}$`), names, handler: null, faults: [] };
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  routes: ReadonlyMap<string, Route>,
  requests: TargetRequest[],
): Promise<void> {
  const url = new URL(incoming.url ?? '/', 'http://target');
  const asked = `${incoming.method} ${url.pathname}`;
  const route = [...routes.values()].find(({ pattern }) => pattern.test(asked));
  const values = route?.pattern.exec(asked)?.slice(1) ?? [];
  const request: TargetRequest = {
    method: incoming.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
    body: await bodyOf(incoming),
    params: Object.fromEntries(
      (route?.names ?? []).map((name, index) => [name, decodeURIComponent(values[index] ?? '')]),
    ),
  };
  requests.push(request);
  const fault = route?.faults.shift();
  if (fault === 'unavailable') return send(response, { status: 503, body: { error: 'unavailable' } });
  if (fault === 'reset') return void incoming.socket.resetAndDestroy();
  if (!route?.handler) return send(response, { status: 404, body: { error: `no handler for ${asked}` } });
  const answered = await route.handler(request);
  if (fault === 'lose_answer') return void incoming.socket.destroy();
  if (fault !== 'hang') send(response, answered);
}

function send(response: ServerResponse, { status = 200, headers = {}, body }: TargetAnswer): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
}

async function bodyOf(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text; // a form, or text
  }
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
