import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json, JsonObject } from '../../../domain/json.ts';
import { closesWithFile } from '../closes-with-file.ts';

/**
 * What the fakes of providers share: a real HTTP server on the loopback whose writes and reads fail on demand.
 *
 * `failNext(fault, times)` lines up faults for the next writes (anything but GET), `failReads` for the next reads; each
 * takes the next fault in line, and a request without one succeeds. The faults that every fake knows:
 *
 * | nothing is done                                       | it is done, and                                     |
 * | `reset_before_body`: the connection is reset at once  | `lose_reply`: reset in place of a reply             |
 * | `reset_after_body`: reset once all of it was read     | `hang_after_effect`: no reply until `release`       |
 * | `hang_before_effect`: no reply until `release`        | `error_after_effect`: 500 (saved where keys are)    |
 * | `unavailable`: 503                                    | `malformed_reply`: 2xx, and no JSON                 |
 * | `rate_limited`: 429                                   | `truncated_reply`: cut off within the body          |
 * |                                                       | `oversized_reply`: larger than any adapter reads    |
 */
export const FAULTS_BEFORE_EFFECT = [
  'reset_before_body',
  'reset_after_body',
  'hang_before_effect',
  'unavailable',
  'rate_limited',
] as const;
export const FAULTS_AFTER_EFFECT = [
  'lose_reply',
  'hang_after_effect',
  'error_after_effect',
  'malformed_reply',
  'truncated_reply',
  'oversized_reply',
] as const;
export type CommonFault = (typeof FAULTS_BEFORE_EFFECT)[number] | (typeof FAULTS_AFTER_EFFECT)[number];

export interface ProviderRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  /** Null until the whole body was read. */
  body: string | null;
}

export interface ProviderReply {
  status: number;
  headers?: Record<string, string>;
  body: Json;
}

export interface ProviderServer<Fault extends string> {
  baseUrl: string;
  /** In the order of arrival, counted when the headers are in. */
  requests: ProviderRequest[];
  /** The requests that change something: all except GET. */
  writes(): ProviderRequest[];
  /** TCP connections so far. */
  connections(): number;
  failNext(fault: Fault | CommonFault, times?: number): void;
  failReads(fault: CommonFault, times?: number): void;
  /** Removes the faults that no request has taken yet. */
  calm(): void;
  /** Answers every hanging request. One that hung before its effect has no effect. */
  release(): void;
  close(): Promise<void>;
}

export interface ProviderBehaviour<Fault extends string> {
  /** Executes the request and replies. `fault` is one of the fake's own faults. */
  handle(request: ProviderRequest & { body: string }, fault: Fault | null): ProviderReply;
  /** The reply to `error_after_effect`, stored under the request's key if the provider stores replies. */
  errorAfterEffect?(request: ProviderRequest & { body: string }): ProviderReply;
  /** Called before `hang_before_effect`, if the provider records requests in flight. */
  begin?(request: ProviderRequest & { body: string }): void;
  /** The provider's form of a 429 and a 503. */
  refusal(status: 429 | 500 | 503): ProviderReply;
}

/** More than an adapter ever reads of one response. */
const OVERSIZED_BYTES = 12 * 1024 * 1024;

export async function startProvider<Fault extends string = never>(
  behaviour: ProviderBehaviour<Fault>,
  isOwn: (fault: string) => fault is Fault,
): Promise<ProviderServer<Fault>> {
  const requests: ProviderRequest[] = [];
  const [writeFaults, readFaults]: [(Fault | CommonFault)[], (Fault | CommonFault)[]] = [[], []];
  const hanging = new Set<ServerResponse>();
  let connections = 0;

  const server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? '/', 'http://provider.invalid');
    const method = incoming.method ?? '';
    const request: ProviderRequest = {
      method,
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body: null,
    };
    requests.push(request);
    const fault = (method === 'GET' ? readFaults : writeFaults).shift() ?? null;
    // Some of these tests disconnect the caller in the middle of its request.
    incoming.on('error', () => response.destroy());
    if (fault === 'reset_before_body') {
      incoming.socket.resetAndDestroy();
      return;
    }
    readAll(incoming).then(
      (body) => {
        request.body = body;
        answer(behaviour, { ...request, body }, fault, isOwn, incoming, response, hanging);
      },
      () => response.destroy(),
    );
  });
  server.on('connection', () => void connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const lineUp =
    (line: (Fault | CommonFault)[]) =>
    (fault: Fault | CommonFault, times = 1): void => {
      for (let n = 0; n < times; n++) line.push(fault);
    };
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    writes: () => requests.filter(({ method }) => method !== 'GET'),
    connections: () => connections,
    failNext: lineUp(writeFaults),
    failReads: lineUp(readFaults),
    calm() {
      writeFaults.length = 0;
      readFaults.length = 0;
    },
    release() {
      for (const response of hanging) write(response, behaviour.refusal(503));
      hanging.clear();
    },
    close: closesWithFile(async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    }),
  };
}

async function readAll(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function answer<Fault extends string>(
  behaviour: ProviderBehaviour<Fault>,
  request: ProviderRequest & { body: string },
  fault: Fault | CommonFault | null,
  isOwn: (fault: string) => fault is Fault,
  incoming: IncomingMessage,
  response: ServerResponse,
  hanging: Set<ServerResponse>,
): void {
  switch (fault) {
    case 'reset_before_body':
    case 'reset_after_body':
      incoming.socket.resetAndDestroy();
      return;
    case 'hang_before_effect':
      behaviour.begin?.(request);
      hanging.add(response);
      return;
    case 'unavailable':
      write(response, behaviour.refusal(503));
      return;
    case 'rate_limited':
      write(response, behaviour.refusal(429));
      return;
    default:
  }
  const reply = behaviour.handle(request, fault !== null && isOwn(fault) ? fault : null);
  switch (fault) {
    case 'lose_reply':
      incoming.socket.resetAndDestroy();
      return;
    case 'hang_after_effect':
      hanging.add(response);
      return;
    case 'error_after_effect':
      write(response, behaviour.errorAfterEffect?.(request) ?? behaviour.refusal(500));
      return;
    case 'malformed_reply':
      response.writeHead(reply.status, { 'content-type': 'application/json' }).end('{"id": "');
      return;
    case 'truncated_reply':
      response.writeHead(reply.status, { 'content-type': 'application/json', 'content-length': '9000' });
      response.write(JSON.stringify(reply.body), () => incoming.socket.resetAndDestroy());
      return;
    case 'oversized_reply': {
      const padded: JsonObject = { padding: 'x'.repeat(OVERSIZED_BYTES), reply: reply.body };
      write(response, { ...reply, body: padded });
      return;
    }
    default:
      // Status 0 marks a fake's own fault that ends without a reply.
      if (reply.status === 0) incoming.socket.resetAndDestroy();
      else write(response, reply);
  }
}

function write(response: ServerResponse, { status, headers, body }: ProviderReply): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
