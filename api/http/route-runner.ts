import type { ApiDependencies } from '../dependencies.ts';
import type { BodyTurns } from './bodies.ts';
import type { HttpContext } from './context.ts';
import type { AnyRoute, Caller, MemberCaller, RouteReply, UserCaller } from './define-route.ts';
import type { IdempotencyGate } from './idempotency.ts';
import type { Authenticators } from './identify.ts';

/** What every request of the API is run with. */
export interface RouteRunner {
  deps: ApiDependencies;
  authenticators: Authenticators;
  idempotency: IdempotencyGate;
  /** Spreads the work on large bodies over rounds of the event loop. */
  bodyTurns: BodyTurns;
  /** Asked in this order once the caller is known, before the scope or role is; each throws to refuse. */
  gates?: readonly EntryGate[];
  /** Asked of a caller who has the scope or role, when the work is about to begin: a recorded reply is repeated without them. */
  workGates?: readonly Gate[];
  /** Called with every reply before it is sent; tests check it against the route's response schema. */
  onReply?: (route: AnyRoute, reply: RouteReply<unknown>) => void;
}

export interface GatedRequest {
  ctx: HttpContext;
  route: AnyRoute;
  /** Null for public routes, and for a click that a chat sends. */
  caller: Caller | MemberCaller | UserCaller | null;
  /** Null for public routes and for routes of a user, who belong to no one workspace. */
  workspaceId: string | null;
}

/** A request as it enters: which route it is for may not be known. */
export type EntryGate = (request: Omit<GatedRequest, 'route'>) => Promise<void>;
export type Gate = (request: GatedRequest) => Promise<void>;

/** Asks each gate in turn. */
export async function pass<Request>(
  gates: readonly ((request: Request) => Promise<void>)[] | undefined,
  request: Request,
): Promise<void> {
  for (const gate of gates ?? []) await gate(request);
}
