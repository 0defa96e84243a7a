import type { FoundSession } from '../../db/auth/directory.ts';
import type { EnvironmentTransaction, UserTransaction } from '../../db/client.ts';
import { ServiceError } from '../../domain/errors.ts';
import { isHalf } from '../../domain/passkeys/authentication.ts';
import { uuidOf } from '../../domain/uuid.ts';
import { userOf } from '../http/sessions.ts';
import { clientGoneSignal } from '../http/client-gone.ts';
import type { HttpContext } from '../http/context.ts';
import type { AnyRoute, SessionCaller } from '../http/define-route.ts';
import { admit, callRoute, checkedParts } from '../http/front-door.ts';
import type { RouteRunner } from '../http/route-runner.ts';
import { identify, sessionCallerOf } from '../http/identify.ts';
import { openTransaction } from '../http/route-transaction.ts';

export interface PageRequest {
  runner: RouteRunner;
  ctx: HttpContext;
}

/** A form's values in place of a request's path, headers and JSON body. */
export interface FormCall {
  params?: Record<string, string>;
  body?: Record<string, unknown>;
  environmentId?: string;
}

/** Calls a route for a form: a page can change nothing that the API cannot. */
export async function callFromPage({ runner, ctx }: PageRequest, route: AnyRoute, call: FormCall): Promise<void> {
  const { params = {}, environmentId = '' } = call;
  const bySession = { authorization: null, resource: 'api' as const, environmentId, params };
  await callRoute({
    runner,
    route,
    ctx,
    identify: () => identify(runner.authenticators, ctx, route, bySession),
    read: () => Promise.resolve(checkedParts(route, call)),
    signal: clientGoneSignal(ctx),
  });
}

/** @throws {ServiceError} AUTHENTICATION_ERROR; AUTHORIZATION_ERROR for another site's form. */
export function sessionOf({ runner, ctx }: PageRequest, environmentId?: string): Promise<FoundSession> {
  const named = uuidOf(environmentId);
  return runner.authenticators.sessions.authenticate(ctx, named === null ? {} : { environmentId: named });
}

/** The session of a sign-in that waits for its second step. Returns null when there is none. */
export async function halfSessionOf({ runner, ctx }: PageRequest): Promise<FoundSession | null> {
  try {
    const session = await runner.authenticators.sessions.authenticate(ctx, {}, true);
    return isHalf(session.authentication) ? session : null;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'AUTHENTICATION_ERROR') return null;
    throw error;
  }
}

/** Reads in one environment, with the rights that `like` requires of a member. */
export async function readAsMember<T>(
  { runner, ctx }: PageRequest,
  like: AnyRoute,
  session: FoundSession,
  work: (tx: EnvironmentTransaction, caller: SessionCaller) => Promise<T>,
): Promise<T> {
  const caller = sessionCallerOf(session);
  await admit({ runner, route: like, ctx, identify: () => Promise.resolve(caller) });
  return openTransaction(runner.deps.db, caller, null, (tx) => work(tx, caller), { readOnly: true });
}

export async function readAsUser<T>(
  { runner, ctx }: PageRequest,
  session: FoundSession,
  work: (tx: UserTransaction) => Promise<T>,
): Promise<T> {
  const caller = userOf(session);
  ctx.state.caller = caller;
  return openTransaction(runner.deps.db, caller, null, work, { readOnly: true });
}
