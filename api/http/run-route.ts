import { ServiceError, validationError } from '../../domain/errors.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { clientGoneSignal } from './client-gone.ts';
import type { HttpContext } from './context.ts';
import { isMutation, refuseForeignOrigin } from './cross-site.ts';
import type { Actor, AnyRoute, Browser, Caller, ReplyWithHeaders, RouteContext, RouteReply } from './define-route.ts';
import { successBody } from './envelope.ts';
import {
  idempotencyKeyOf,
  requestDigestOf,
  type IdempotencyGate,
  type StoreReply,
  type WireReply,
} from './idempotency.ts';
import {
  identifyCaller,
  identifyCallerOfPath,
  identifyCredential,
  identifyMember,
  identifyUser,
  requireRole,
  requireScope,
  type Authenticators,
} from './identify.ts';
import { BODY_BYTES_MAX, readJsonBody, readJsonBytes } from './read-json-body.ts';
import { needsSecureCookie, readSessionCookie } from './session-cookie.ts';
import { clientAddress } from './transport-security.ts';
import { queryOf, validateBody, validatePart } from './validate-request.ts';
import { z } from 'zod';

export interface RouteRunner {
  deps: ApiDependencies;
  authenticators: Authenticators;
  idempotency: IdempotencyGate;
  /** Asked in this order once the caller is known, before the scope or role is; each throws to refuse. */
  gates?: readonly Gate[];
  /** Asked of a caller who has the scope or role, when the handler is about to run: a recorded reply is repeated without them. */
  workGates?: readonly Gate[];
  /** Told of every reply before it is sent; tests hold it against the route's response schema. */
  onReply?: (route: AnyRoute, reply: RouteReply<unknown>) => void;
}

export interface GatedRequest {
  ctx: HttpContext;
  route: AnyRoute;
  /** Null for public routes and for routes of a user, who belong to no one workspace. */
  workspaceId: string | null;
}

export type Gate = (request: GatedRequest) => Promise<void>;

const NOTHING = z.strictObject({});

/** One request of one route: who, may they, what do they say, then the handler, at most once where the route is idempotent. */
export async function runRoute(runner: RouteRunner, route: AnyRoute, ctx: HttpContext): Promise<void> {
  ctx.state.route = route;
  if (route.headers !== undefined) ctx.set(route.headers);
  switch (route.kind) {
    case 'environment':
      return runEnvironmentRoute(runner, route, ctx);
    case 'credential': {
      const caller = await identifyCredential(runner.authenticators, ctx, route);
      ctx.state.caller = caller;
      await pass(runner.gates, { ctx, route, workspaceId: 'workspaceId' in caller ? caller.workspaceId : null });
      return answer(runner, route, ctx, async () => route.handler({ ...(await read(runner, route, ctx)), caller }));
    }
    case 'workspace': {
      const named = (ctx['params'] as Record<string, string>)['workspaceId'] ?? '';
      const caller = await identifyMember(runner.authenticators, ctx, named);
      ctx.state.caller = caller;
      await pass(runner.gates, { ctx, route, workspaceId: caller.workspaceId });
      if (route.role !== undefined) requireRole(caller.role, route.role);
      await pass(runner.workGates, { ctx, route, workspaceId: caller.workspaceId });
      const actor: Actor = { type: 'user', id: caller.userId };
      return answer(runner, route, ctx, async () =>
        route.handler({ ...(await read(runner, route, ctx)), caller, actor }),
      );
    }
    case 'user': {
      const caller = await identifyUser(runner.authenticators, ctx);
      ctx.state.caller = caller;
      await pass(runner.gates, { ctx, route, workspaceId: null });
      return answer(runner, route, ctx, async () =>
        route.handler({ ...(await read(runner, route, ctx)), caller, browser: browserOf(ctx) }),
      );
    }
    case 'public':
      if (isMutation(ctx.method)) refuseForeignOrigin(ctx, runner.deps.publicOrigins ?? []);
      await pass(runner.gates, { ctx, route, workspaceId: null });
      return answer(runner, route, ctx, async () =>
        route.handler({ ...(await read(runner, route, ctx)), browser: browserOf(ctx) }),
      );
  }
}

type EnvironmentRoute = Extract<AnyRoute, { kind: 'environment' }>;

async function runEnvironmentRoute(runner: RouteRunner, route: EnvironmentRoute, ctx: HttpContext): Promise<void> {
  const identify = route.environmentFromPath === true ? identifyCallerOfPath : identifyCaller;
  const caller = await identify(runner.authenticators, ctx, route);
  ctx.state.caller = caller;
  await pass(runner.gates, { ctx, route, workspaceId: caller.workspaceId });
  requireScope(caller, route);
  const upload = route.openUpload?.(runner.deps, caller.workspaceId);
  if (upload !== undefined) ctx.state.upload = upload;
  try {
    await runForCaller(runner, route, ctx, caller);
  } finally {
    upload?.leave();
  }
}

async function runForCaller(
  runner: RouteRunner,
  route: EnvironmentRoute,
  ctx: HttpContext,
  caller: Caller,
): Promise<void> {
  const { json, ...parts } = await read(runner, route, ctx);
  const context: Omit<RouteContext<unknown, unknown, unknown>, 'recordReply'> = {
    ...parts,
    caller,
    actor: caller.type === 'api_key' ? { type: 'api_key', id: caller.keyId } : { type: 'user', id: caller.userId },
    idempotencyKey: route.idempotent === true ? idempotencyKeyOf(ctx.req.headersDistinct['idempotency-key']) : null,
  };
  const handle = async (store: StoreReply): Promise<WireReply> => {
    await pass(runner.workGates, { ctx, route, workspaceId: caller.workspaceId });
    const recorded = new Map<RouteReply<unknown>, WireReply>();
    const reply = await route.handler({
      ...context,
      recordReply: async (tx, given) => {
        const wire = wireReplyOf(given);
        await store(tx, wire);
        recorded.set(given, wire);
        return given;
      },
    });
    runner.onReply?.(route, reply);
    return recorded.get(reply) ?? wireReplyOf(reply);
  };
  send(ctx, await runOnce(runner, route, ctx, context, json, handle));
}

async function pass(gates: readonly Gate[] | undefined, request: GatedRequest): Promise<void> {
  for (const gate of gates ?? []) await gate(request);
}

async function answer(
  runner: RouteRunner,
  route: AnyRoute,
  ctx: HttpContext,
  handle: () => Promise<ReplyWithHeaders<unknown>>,
): Promise<void> {
  const reply = await handle();
  runner.onReply?.(route, reply);
  for (const [name, value] of Object.entries(reply.headers ?? {})) ctx.set(name, value);
  send(ctx, wireReplyOf(reply));
}

function browserOf(ctx: HttpContext): Browser {
  return { address: clientAddress(ctx), secureCookie: needsSecureCookie(ctx), sessionToken: readSessionCookie(ctx) };
}

interface RequestFacts {
  requestId: string;
  deps: ApiDependencies;
  signal: AbortSignal;
}

/** What the request says, checked by the route's schemas, and what every handler is handed. */
async function read(
  runner: RouteRunner,
  route: AnyRoute,
  ctx: HttpContext,
): Promise<ReturnType<typeof parseRequest> & { json: unknown } & RequestFacts> {
  if (ctx.accepts('json') === false) throw new ServiceError('NOT_ACCEPTABLE');
  const common = { requestId: ctx.state.requestId, deps: runner.deps, signal: clientGoneSignal(ctx) };
  if (route.kind === 'environment' && route.readBody !== undefined) {
    const parts = parseParts(route, ctx);
    const bytes = await readJsonBytes(ctx.req, route.bodyBytesMax ?? BODY_BYTES_MAX, ctx.state.upload);
    const { body, digest } = await route.readBody(bytes, runner.deps, workspaceOf(ctx));
    return { ...parts, body, json: digest, ...common };
  }
  const json = takesBody(route) ? await readJsonBody(ctx.req, route.bodyBytesMax) : undefined;
  return { ...parseRequest(route, ctx, json), json, ...common };
}

function workspaceOf(ctx: HttpContext): string {
  const { caller } = ctx.state;
  if (caller === undefined || !('workspaceId' in caller))
    throw new Error('the caller of an environment has a workspace');
  return caller.workspaceId;
}

/** A GET carries no body. Any other method without a body schema takes none but `{}`. */
function takesBody(route: AnyRoute): boolean {
  return route.method !== 'GET';
}

function parseRequest(
  route: AnyRoute,
  ctx: HttpContext,
  json: unknown,
): { params: unknown; query: unknown; body: unknown } {
  const { body = NOTHING } = route.request;
  return { ...parseParts(route, ctx), body: takesBody(route) ? validateBody(body, json) : undefined };
}

function parseParts(route: AnyRoute, ctx: HttpContext): { params: unknown; query: unknown } {
  const { params = NOTHING, query = NOTHING } = route.request;
  const rawParams = ctx['params'] as Record<string, string>;
  for (const [name, value] of Object.entries(rawParams)) {
    if (value.includes('\0')) throw validationError([{ path: `params.${name}`, message: 'contains a NUL character' }]);
  }
  return {
    params: validatePart('params', strictOf(params), rawParams),
    query: validatePart('query', strictOf(query), queryOf(new URLSearchParams(ctx.querystring))),
  };
}

async function runOnce(
  runner: RouteRunner,
  route: AnyRoute,
  ctx: HttpContext,
  context: { caller: Caller; idempotencyKey: string | null; signal: AbortSignal },
  body: unknown,
  handle: (store: StoreReply) => Promise<WireReply>,
): Promise<WireReply> {
  const { caller, idempotencyKey: key, signal } = context;
  if (key === null) return handle(() => Promise.resolve());
  const { tenant } = caller;
  const requestDigest = requestDigestOf({
    method: ctx.method,
    path: ctx.path,
    workspaceId: tenant.workspaceId,
    body,
  });
  const { reply, replayed } = await runner.idempotency.run(
    { tenant, key, requestDigest, answersFromRecord: route.answersFromRecord === true, signal },
    handle,
  );
  if (replayed) ctx.set('X-Idempotent-Replay', 'true');
  return reply;
}

const strictSchemas = new WeakMap<z.ZodObject, z.ZodObject>();

/** Made once for each schema: zod compiles a new one at its first use, which cost a tenth of a cheap request. */
function strictOf(schema: z.ZodObject): z.ZodObject {
  const strict = strictSchemas.get(schema) ?? schema.strict();
  strictSchemas.set(schema, strict);
  return strict;
}

function wireReplyOf(reply: RouteReply<unknown>): WireReply {
  return { status: reply.status, body: successBody(reply) };
}

function send(ctx: HttpContext, reply: WireReply): void {
  ctx.status = reply.status;
  ctx.type = 'application/json';
  ctx.body = reply.body;
}
