import type { ServerContext } from '@modelcontextprotocol/server';
import type { EnvironmentRoute } from '../http/define-route.ts';
import { refusalOf } from '../http/identify.ts';
import {
  callRouteAsBearer,
  type BearerRequest,
  type BearerRouteCall,
  type RouteAnswer,
} from '../http/call-route-as-bearer.ts';

/** The protocol revisions with a handshake, or those with an envelope in every request. */
export type Era = 'legacy' | 'modern';

/** One HTTP request of an MCP client, with whom it is from. */
export interface Exchange extends BearerRequest {
  era: Era;
  /** Aborted when the client leaves. It ends waits on its behalf, never an invocation. */
  gone: AbortSignal;
}

/** What the handler of one JSON-RPC request works with. */
export interface Call {
  exchange: Exchange;
  context: ServerContext;
}

/** Does what a route does, for the key of this exchange. */
export function callRoute(
  exchange: Exchange,
  route: EnvironmentRoute,
  parts: Omit<BearerRouteCall, 'signal'>,
): Promise<RouteAnswer> {
  return callRouteAsBearer(exchange, route, { ...parts, signal: exchange.gone });
}

/**
 * Whether the key or the app may call the route at all, by the very rule that a call is refused by. A key that may read only what it made
 * itself counts.
 */
export function mayCall({ caller }: BearerRequest, route: EnvironmentRoute): boolean {
  return refusalOf(caller, route) === null;
}
