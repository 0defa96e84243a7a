import type { BearerCaller } from './callers.ts';
import type { ResourceKind } from '../../db/oauth/grants.ts';
import type { HttpContext } from './context.ts';
import type { EnvironmentRoute } from './define-route.ts';
import { requireScope } from './identify.ts';
import type { Pagination } from './pagination.ts';
import type { RouteRunner } from './route-runner.ts';
import { allOf, validatePart } from './validate-request.ts';
import { runCalledRoute } from './run-called-route.ts';
import { z } from 'zod';

/** A request of a protocol of ours beside REST: its key or token was looked up, and its rate limit passed, for the whole request. */
export interface BearerRequest {
  runner: RouteRunner;
  ctx: HttpContext;
  caller: BearerCaller;
  /** What a token must be for. */
  resource: ResourceKind;
}

/** What stands in place of the path, the query and the JSON body of a request to the route. */
export interface BearerRouteCall {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  /** Ends the waits of the call, and none of its work. */
  signal: AbortSignal;
}

export interface RouteAnswer {
  status: number;
  data: unknown;
  pagination?: Pagination;
}

const NOTHING = z.strictObject({});

/**
 * Does what a declared route does for an API key or an app: the same scope check, schemas, gates, transactions, audit entry and reply. A
 * caller that could reach a record in another way would find a door that the rules of the routes do not guard.
 */
export async function callRouteAsBearer(
  { runner, ctx, caller, resource }: BearerRequest,
  route: EnvironmentRoute,
  call: BearerRouteCall,
): Promise<RouteAnswer> {
  ctx.state.route = route;
  requireScope(caller, route);
  const { params = NOTHING, query = NOTHING, body = NOTHING } = route.request;
  const [[parsedParams, parsedQuery], parsedBody] = allOf(
    () =>
      allOf(
        () => validatePart('params', params, call.params ?? {}),
        () => validatePart('query', query, call.query ?? {}),
      ),
    () => validatePart('body', body, call.body ?? {}),
  );
  const parts = { params: parsedParams, query: parsedQuery, body: parsedBody };
  const identify = () => runner.authenticators.keys.authenticate(ctx.get('Authorization'), resource);
  const reply = await runCalledRoute(route, { runner, ctx, caller, parts, signal: call.signal, identify });
  // As the API sends it: times as text, and nothing that JSON leaves out.
  const { data, pagination } = JSON.parse(reply.body) as Pick<RouteAnswer, 'data' | 'pagination'>;
  return { status: reply.status, data, ...(pagination === undefined ? {} : { pagination }) };
}
