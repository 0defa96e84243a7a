import { touchedIds } from '../../domain/touched-ids.ts';
import type { HttpContext } from './context.ts';
import type { AnyRoute, Browser, Caller } from './define-route.ts';
import type { WireReply } from './idempotency.ts';
import { requestDigestOf } from './idempotency-key.ts';
import { requireRole, requireScope } from './rights.ts';
import { pass, type RouteRunner } from './route-runner.ts';
import { type AnyCaller, openTransaction, type RouteTransaction } from './route-transaction.ts';
import { type Asked, runWork } from './run-work.ts';
import { requireStepUp } from './second-factor.ts';
import { needsSecureCookie, readSessionCookie } from './sessions.ts';
import { clientAddress } from './every-request.ts';
import { allOf, validatePart } from './validate-request.ts';
import { z } from 'zod';

/** A request for a route: from REST, an MCP tool or a form of our pages. */
export interface RouteRequest {
  runner: RouteRunner;
  route: AnyRoute;
  ctx: HttpContext;
  /** Called again when the credential ended before the work committed. */
  identify: () => Promise<AnyCaller | null>;
  /** Set when a request that calls several routes was identified and rate-limited as a whole. */
  caller?: Caller;
  /** Called once the caller is admitted: nobody else's body is read. */
  read(): Promise<Parts>;
  /** Ends waits on behalf of the caller, and no work. */
  signal: AbortSignal;
}

export interface Parts {
  params: unknown;
  query: unknown;
  body: unknown;
  /** The body's JSON value, or its digest, for the request digest. */
  json?: unknown;
  idempotencyKey?: string | null;
}

/**
 * The one way to a route: identifies the caller, passes the gates, checks scope or role, reads the request and does the work, at most once
 * for an Idempotency-Key. Returns the reply unsent.
 *
 * @throws {ServiceError} for every refusal.
 */
export async function callRoute(request: RouteRequest): Promise<WireReply> {
  const { runner, route, ctx, signal } = request;
  const caller = await admit(request);
  const workspaceId = workspaceOf(caller);
  const upload =
    route.of === 'environment' && workspaceId !== null ? route.openUpload?.(runner.deps, workspaceId) : undefined;
  if (upload !== undefined) ctx.state.upload = upload;
  try {
    const { json, idempotencyKey = null, ...parts } = await request.read();
    const asked: Asked = {
      runner,
      route,
      ctx,
      caller,
      identify: () => identifyAgain(request),
      parts: { ...parts, requestId: ctx.state.requestId, deps: runner.deps, signal },
      also: route.of === 'user' || route.of === 'public' ? { browser: browserOf(ctx) } : {},
      idempotencyKey,
    };
    return await revealed(asked, await runOnce(asked, json));
  } finally {
    upload?.leave();
  }
}

/** Returns the admitted caller, or null for a public route. */
export async function admit(
  request: Pick<RouteRequest, 'runner' | 'route' | 'ctx' | 'identify' | 'caller'>,
): Promise<AnyCaller | null> {
  const { runner, route, ctx } = request;
  ctx.state.route = route;
  const caller = request.caller ?? (await request.identify());
  if (caller !== null) ctx.state.caller = caller;
  if (request.caller === undefined) await pass(runner.gates, { ctx, route, caller, workspaceId: workspaceOf(caller) });
  authorize(route, caller);
  return caller;
}

async function identifyAgain({ route, identify }: RouteRequest): Promise<AnyCaller> {
  const again = await identify();
  authorize(route, again);
  if (again === null) throw new Error(`route ${route.id} has no caller`);
  return again;
}

/** @throws {ServiceError} AUTHORIZATION_ERROR, naming the scope or the role; SECOND_FACTOR_REQUIRED. */
function authorize(route: AnyRoute, caller: AnyCaller | null): void {
  // A session that need not name an environment is never refused.
  if (route.of === 'environment' && route.environmentOptional !== true) {
    requireScope(caller as Caller, route);
    if (route.stepUp === true) requireStepUp(caller as Caller);
  }
  if (route.of !== 'workspace' || route.role === undefined) return;
  if (caller === null || !('role' in caller)) throw new Error(`route ${route.id} has no member who asks`);
  requireRole(caller.role, route.role);
}

export function workspaceOf(caller: AnyCaller | null): string | null {
  return caller !== null && 'workspaceId' in caller ? caller.workspaceId : null;
}

function browserOf(ctx: HttpContext): Browser {
  return { address: clientAddress(ctx), secureCookie: needsSecureCookie(ctx), sessionToken: readSessionCookie(ctx) };
}

/** Takes the place of the path, the query and the JSON body of a request. */
export interface Given {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

const NOTHING = z.strictObject({});

/** @throws {ServiceError} VALIDATION_ERROR with the issues of all parts. */
export function checkedParts(route: AnyRoute, given: Given): Parts {
  const { params = NOTHING, query = NOTHING, body = NOTHING } = route.request;
  const [[parsedParams, parsedQuery], parsedBody] = allOf(
    () =>
      allOf(
        () => validatePart('params', params, given.params ?? {}),
        () => validatePart('query', query, given.query ?? {}),
      ),
    () => validatePart('body', body, given.body ?? {}),
  );
  return { params: parsedParams, query: parsedQuery, body: parsedBody };
}

async function runOnce(asked: Asked, json: unknown): Promise<WireReply> {
  const { runner, route, ctx, caller, idempotencyKey: key } = asked;
  const gated = { ctx, route, caller, workspaceId: workspaceOf(caller) };
  if (key === null || caller === null || !('tenant' in caller) || route.changesNothing?.(asked.parts.body) === true) {
    await pass(runner.workGates, gated);
    return runWork(asked, () => Promise.resolve());
  }
  const { tenant } = caller;
  await runner.bodyTurns.take(tenant.workspaceId, ctx.state.bodyBytes ?? 0);
  const asking = { method: ctx.method, path: ctx.path, workspaceId: tenant.workspaceId, body: json };
  const requestDigests = runner.deps.vault.digests('an Idempotency-Key', requestDigestOf(asking));
  const { signal } = asked.parts;
  const { reply, replayed } = await runner.idempotency.run(
    { tenant, key, requestDigests, answersFromRecord: route.answersFromRecord === true, signal },
    async (store, claimInWork) => {
      await pass(runner.workGates, gated);
      return runWork(asked, store, claimInWork);
    },
  );
  if (replayed) {
    await asked.identify(); // whose credential ended meanwhile gets the answer of a new request, and no reply of an earlier one
    ctx.set('X-Idempotent-Replay', 'true');
    ctx.state.touched = touchedIds(asked.parts.params, (JSON.parse(reply.body) as { data?: unknown }).data);
  }
  return reply;
}

/** Adds the credential that is shown once, which the recorded reply lacks. */
async function revealed({ runner: { deps }, route, caller }: Asked, reply: WireReply): Promise<WireReply> {
  const { reveal } = route;
  if (reveal === undefined) return reply;
  if (caller === null || !('tenant' in caller))
    throw new Error(`route ${route.id} reveals to a caller of an environment`);
  const { tenant } = caller;
  const envelope = JSON.parse(reply.body) as { data: unknown };
  const shown = (tx: RouteTransaction): Promise<unknown> => reveal(tx, envelope.data, { tenant, deps });
  const data = await openTransaction(deps.db, caller, null, shown, { readOnly: true });
  return { ...reply, body: JSON.stringify({ ...envelope, data }) };
}
