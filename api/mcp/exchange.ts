import type { ServerContext } from '@modelcontextprotocol/server';
import type { BearerCaller, EnvironmentRoute } from '../http/define-route.ts';
import type { HttpContext } from '../http/context.ts';
import { callRoute as callThroughDoor, checkedParts, type Given } from '../http/front-door.ts';
import type { RouteRunner } from '../http/route-runner.ts';
import type { Pagination } from '../http/common-fields.ts';
import { refusalOf } from '../http/rights.ts';

/** Protocol revisions with a handshake, or those with an envelope in every request. */
export type Era = 'legacy' | 'modern';

/** One HTTP request of an MCP client, authenticated and rate-limited as a whole. */
export interface Exchange {
  runner: RouteRunner;
  ctx: HttpContext;
  caller: BearerCaller;
  era: Era;
  /** Aborted when the client leaves. Ends waits, never an invocation. */
  gone: AbortSignal;
}

export interface Call {
  exchange: Exchange;
  context: ServerContext;
}

export interface RouteAnswer {
  status: number;
  data: unknown;
  pagination?: Pagination;
}

/** Calls a route as this exchange's caller. */
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
  const { data, pagination } = JSON.parse(reply.body) as Pick<RouteAnswer, 'data' | 'pagination'>;
  return { status: reply.status, data, ...(pagination === undefined ? {} : { pagination }) };
}

/** Whether the caller may call the route at all, by the rule that refuses a call. A key that reads only its own records counts. */
export function mayCall({ caller }: Pick<Exchange, 'caller'>, route: EnvironmentRoute): boolean {
  return refusalOf(caller, route) === null;
}
