import type { EnvironmentTransaction, UserTransaction } from '../../db/client.ts';
import type { FoundSession } from '../../db/auth/find-sign-in-session.ts';
import { userOf } from './authenticate-session.ts';
import type { SessionCaller } from './callers.ts';
import { clientGoneSignal } from './client-gone.ts';
import type { HttpContext } from './context.ts';
import { refuseForeignOrigin } from './cross-site.ts';
import type { AnyRoute } from './define-route.ts';
import { identifyMember, sessionCallerOf } from './identify.ts';
import type { RouteRunner } from './route-runner.ts';
import { type AnyCaller, openTransaction } from './route-transaction.ts';
import { runCalledRoute } from './run-called-route.ts';
import { authorize, pass, workspaceOf } from './run-route.ts';
import { validatePart } from './validate-request.ts';
import { uuidOf } from '../../domain/uuid.ts';
import { z } from 'zod';

/** A request for one of our pages, and what runs the routes behind it. */
export interface PageRequest {
  runner: RouteRunner;
  ctx: HttpContext;
}

/** What a form says, in place of the path, the headers and the JSON body of a request to the route. */
export interface RouteCall {
  params?: Record<string, string>;
  body?: Record<string, unknown>;
  /** In place of `X-Environment-Id`. */
  environmentId?: string;
}

const NOTHING = z.strictObject({});

/**
 * Does what a declared route does, for a form of our pages: the same session, cross-site, role and rate checks, the same schemas,
 * work and audit entry. So a page has no way to change anything that the API has not.
 */
export async function callRoute({ runner, ctx }: PageRequest, route: AnyRoute, call: RouteCall): Promise<void> {
  const identify = (): Promise<AnyCaller | null> => callerOf({ runner, ctx }, route, call);
  const caller = await enter({ runner, ctx }, route, await identify());
  const { params = NOTHING, body = NOTHING } = route.request;
  const parts = {
    params: validatePart('params', params, call.params ?? {}),
    query: {},
    body: validatePart('body', body, call.body ?? {}),
  };
  await runCalledRoute(route, { runner, ctx, caller, parts, signal: clientGoneSignal(ctx), identify });
}

/** Who looks at a page. @throws {ServiceError} AUTHENTICATION_ERROR, and AUTHORIZATION_ERROR for a form of another site. */
export function sessionOf({ runner, ctx }: PageRequest, environmentId?: string): Promise<FoundSession> {
  const named = uuidOf(environmentId);
  return runner.authenticators.sessions.authenticate(ctx, named === null ? {} : { environmentId: named });
}

/** Reads for a page in one environment, with the rights that `like` asks of a member. */
export async function readAsMember<T>(
  { runner, ctx }: PageRequest,
  like: AnyRoute,
  session: FoundSession,
  work: (tx: EnvironmentTransaction, caller: SessionCaller) => Promise<T>,
): Promise<T> {
  const caller = sessionCallerOf(session);
  await enter({ runner, ctx }, like, caller);
  return openTransaction(runner.deps.db, caller, null, (tx) => work(tx, caller), { readOnly: true });
}

/** Reads what belongs to the user themselves. */
export async function readAsUser<T>(
  { runner, ctx }: PageRequest,
  session: FoundSession,
  work: (tx: UserTransaction) => Promise<T>,
): Promise<T> {
  const caller = userOf(session);
  ctx.state.caller = caller;
  return openTransaction(runner.deps.db, caller, null, work, { readOnly: true });
}

async function callerOf({ runner, ctx }: PageRequest, route: AnyRoute, call: RouteCall): Promise<AnyCaller | null> {
  switch (route.of) {
    case 'public':
      refuseForeignOrigin(ctx, runner.deps.publicOrigins ?? []);
      return null;
    case 'user':
      return userOf(await sessionOf({ runner, ctx }));
    case 'environment':
      return sessionCallerOf(await sessionOf({ runner, ctx }, call.environmentId));
    case 'workspace':
      return identifyMember(runner.authenticators, ctx, {
        named: call.params?.['workspaceId'] ?? '',
        role: route.role,
      });
  }
}

/** Names the route and the caller for the log and the gates, then asks the gates and the role, as every request does. */
async function enter<Caller extends AnyCaller | null>(
  { runner, ctx }: PageRequest,
  route: AnyRoute,
  caller: Caller,
): Promise<Caller> {
  ctx.state.route = route;
  if (caller !== null) ctx.state.caller = caller;
  await pass(runner.gates, { ctx, route, workspaceId: workspaceOf(caller) });
  authorize(route, caller);
  return caller;
}
