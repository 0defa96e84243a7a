import { createMcpHandler, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { ServiceError } from '../../domain/errors.ts';
import { isJsonObject } from '../../domain/json.ts';
import { clientGoneSignal } from '../http/client-gone.ts';
import type { HttpContext, HttpMiddleware } from '../http/context.ts';
import { describeFailure } from '../../domain/failures.ts';
import { BODY_BYTES_MAX, readBytes } from '../http/bodies.ts';
import { pass, type RouteRunner } from '../http/route-runner.ts';
import { acceptedReply, inJson } from './accepted-reply.ts';
import type { Era, Exchange } from './exchange.ts';
import { requireKnownSite } from './known-sites.ts';
import { MCP_PATH } from '../http/mcp-path.ts';
import { createMcpServer } from './mcp-server.ts';
import { oneMessage } from './one-message.ts';
import { sendResponse } from './send-response.ts';

/** Headers that the package reads. The credential is not among them. */
const PASSED_HEADER = /^(content-type|last-event-id|mcp-.*)$/;

export interface McpEndpoint {
  middleware: HttpMiddleware;
  close(): Promise<void>;
}

/**
 * `POST /mcp`, stateless streamable HTTP: each request has its key looked up, counts for the workspace's rate limit, and is answered from
 * the records. HTTP failures (401, 403, 405, 413, 429) have the REST error body; a faulty message is a JSON-RPC error.
 */
export function serveMcp(runner: RouteRunner): McpEndpoint {
  const { logger, publicOrigins = [], pagesUrl } = runner.deps;
  const origins = pagesUrl === null ? publicOrigins : [...publicOrigins, pagesUrl];
  const handler = createMcpHandler(({ era, authInfo }) => createMcpServer({ ...exchangeIn(authInfo), era }), {
    onerror: (error) => logger.debug({ failure: describeFailure(error) }, 'an MCP message was refused'),
  });

  async function answer(ctx: HttpContext): Promise<void> {
    requireKnownSite(ctx, origins);
    if (ctx.method !== 'POST') throw notPost(ctx);
    const caller = await runner.authenticators.keys.authenticate(ctx.get('Authorization'), 'mcp');
    ctx.state.caller = caller;
    await pass(runner.gates, { ctx, caller, workspaceId: caller.workspaceId });
    const bytes = await readBytes(ctx.req, BODY_BYTES_MAX);
    await runner.bodyTurns.take(caller.workspaceId, bytes.length);
    const message = messageIn(bytes);
    if ('refusal' in message) return refuse(ctx, message.refusal);
    const exchange: Omit<Exchange, 'era'> = {
      runner,
      ctx,
      caller,
      gone: clientGoneSignal(ctx),
    };
    const { accept, isJsonOnly } = acceptedReply(ctx);
    const headers = passedHeaders(ctx);
    headers.set('Accept', accept);
    const request = new Request(`http://localhost${MCP_PATH}`, { method: 'POST', headers });
    const clientId = caller.type === 'oauth' ? caller.clientId : caller.keyId;
    const authInfo = { token: '', clientId, scopes: [...caller.scopes], extra: { exchange } };
    const response = await handler.fetch(request, { parsedBody: message.parsed, authInfo });
    await sendResponse(ctx, isJsonOnly ? await inJson(response) : response);
  }

  return {
    middleware: answer,
    close: () => handler.close(),
  };
}

function exchangeIn(authInfo: { extra?: Record<string, unknown> } | undefined): Omit<Exchange, 'era'> & { era?: Era } {
  const exchange = authInfo?.extra?.['exchange'];
  if (exchange === undefined) throw new Error('an MCP request without its exchange');
  return exchange as Omit<Exchange, 'era'>;
}

function passedHeaders(ctx: HttpContext): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(ctx.req.headersDistinct)) {
    if (PASSED_HEADER.test(name)) headers.set(name, (values ?? []).join(', '));
  }
  return headers;
}

interface Refusal {
  status: number;
  code: number;
  message: string;
  id: unknown;
}

/** Refuses subscriptions: nothing changes here without a request, and each would hold a connection. */
function messageIn(bytes: Uint8Array): { parsed: unknown } | { refusal: Refusal } {
  const read = oneMessage(bytes);
  if ('refusal' in read) return refusal(400, read.refusal.code, read.refusal.message);
  const { parsed } = read;
  if (isJsonObject(parsed) && parsed['method'] === 'subscriptions/listen') {
    const message =
      'Method not found: this server has no notifications to subscribe to. Call get_invocation with waitSeconds.';
    return refusal(404, ProtocolErrorCode.MethodNotFound, message, parsed['id']);
  }
  return read;
}

function refusal(status: number, code: number, message: string, id: unknown = null): { refusal: Refusal } {
  return { refusal: { status, code, message, id } };
}

function refuse(ctx: HttpContext, { status, code, message, id }: Refusal): void {
  ctx.status = status;
  ctx.type = 'application/json';
  ctx.body = JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}

/** The protocol makes GET streams and sessions optional; there are none. */
function notPost(ctx: HttpContext): ServiceError {
  ctx.set('Allow', 'POST');
  return new ServiceError('METHOD_NOT_ALLOWED', {
    message: `This path answers POST, not ${ctx.method}.`,
    details: { allowed: ['POST'] },
  });
}
