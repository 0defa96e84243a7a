import type { ServerContext } from '@modelcontextprotocol/server';
import type { BearerCaller, EnvironmentRoute } from '../http/define-route.ts';
import type { HttpContext } from '../http/context.ts';
import { callRoute as callThroughDoor, checkedParts, type Given } from '../http/front-door.ts';
import type { RouteRunner } from '../http/route-runner.ts';
import type { Pagination } from '../http/common-fields.ts';
import { refusalOf } from '../http/rights.ts';

/** The protocol revisions with a handshake, or those with an envelope in every request. */
export type Era = 'legacy' | 'modern';

/** One HTTP request of an MCP client. Its key or token was looked up, and its rate limit passed, for the whole request. */
export interface Exchange {
  runner: RouteRunner;
  ctx: HttpContext;
  caller: BearerCaller;
  era: Era;
  /** Aborted when the client leaves. It ends waits on its behalf, never an invocation. */
  gone: AbortSignal;
}

/** What the handler of one JSON-RPC request works with. */
export interface Call {
  exchange: Exchange;
  context: ServerContext;
}

export interface RouteAnswer {
  status: number;
  data: unknown;
  pagination?: Pagination;
}

/** Does what a route does, for the key or the app of this exchange. */
export async function callRoute(exchange: Exchange, route: EnvironmentRoute, given: Given): Promise<RouteAnswer> {
  const { runner, ctx, caller, gone: signal } = exchange;
  const reply = await callThroughDoor({
    runner,
    route,
    ctx,
    caller,
    identify: () => runner.authenticators.keys.authenticate(ctx.get('Authorization'), 'mcp'),
    read: () => Promise.resolve(checkedParts(route, given)),
    signal,
  });
  // As the API sends it: times as text, and nothing that JSON leaves out.
  const { data, pagination } = JSON.parse(reply.body) as Pick<RouteAnswer, 'data' | 'pagination'>;
  return { status: reply.status, data, ...(pagination === undefined ? {} : { pagination }) };
}

/**
 * Whether the key or the app may call the route at all, by the very rule that a call is refused by. A key that may read only what it made
 * itself counts.
 */
export function mayCall({ caller }: Pick<Exchange, 'caller'>, route: EnvironmentRoute): boolean {
  return refusalOf(caller, route) === null;
}
