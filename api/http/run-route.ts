import { validationError } from '../../domain/errors.ts';
import { touchedIds } from '../../domain/touched-ids.ts';
import type { PresentedKey } from '../../db/scope.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { requireAcceptable } from './acceptable.ts';
import { clientGoneSignal } from './client-gone.ts';
import type { HttpContext } from './context.ts';
import { isMutation, refuseForeignOrigin } from './cross-site.ts';
import type { AnyRoute, Browser, Caller } from './define-route.ts';
import { idempotencyKeyOf, requestDigestOf, type WireReply } from './idempotency.ts';
import {
  assumeReader,
  identifyCaller,
  identifyCallerOfPath,
  identifyCredential,
  identifyMember,
  identifyUser,
  requireRole,
  requireScope,
} from './identify.ts';
import { BodyTurns } from './body-turns.ts';
import { isNotModified } from './not-modified.ts';
import { checkStreamedBody, sendStream } from './streamed.ts';
import { BODY_BYTES_MAX, parseJsonBytes, readJsonBytes } from './read-json-body.ts';
import { takeRateLimitHeaders } from './rate-limit-headers.ts';
import type { Gate, GatedRequest, RouteRunner } from './route-runner.ts';
import { type AnyCaller, isCredentialEnded, openTransaction, type RouteTransaction } from './route-transaction.ts';
import { type Asked, runWork } from './run-work.ts';
import { needsSecureCookie, readSessionCookie } from './session-cookie.ts';
import { clientAddress } from './transport-security.ts';
import { allOf, outcomeOf, queryOf, validateBody, validatePart, withIssuesBeside } from './validate-request.ts';
import { z } from 'zod';

const NOTHING = z.strictObject({});
const bodyTurns = new BodyTurns();

/** One request of one route: identify the caller, authorize, validate, then do the work, at most once if the route is idempotent. */
export async function runRoute(runner: RouteRunner, route: AnyRoute, ctx: HttpContext): Promise<void> {
  ctx.state.route = route;
  if (route.headers !== undefined) ctx.set(route.headers);
  if (route.of === 'public' && isMutation(ctx.method)) refuseForeignOrigin(ctx, runner.deps.publicOrigins ?? []);
  const assumed = assumeReader(runner.authenticators, ctx, route);
  if (assumed === null) return answer(runner, route, ctx, await identify(runner, route, ctx));
  try {
    await answer(runner, route, ctx, assumed.caller, assumed.presented);
  } catch (error) {
    // Only the holder of a key that still works sees the failure: anybody else gets the answer for strangers.
    delete ctx.state.caller;
    const limits = takeRateLimitHeaders(ctx);
    const caller = await identify(runner, route, ctx);
    if (isCredentialEnded(error)) return answer(runner, route, ctx, caller);
    ctx.state.caller = caller as Caller;
    ctx.set(limits);
    throw error;
  }
}

/** `presented`: the caller is assumed, and the transaction of the read finds out. */
async function answer(
  runner: RouteRunner,
  route: AnyRoute,
  ctx: HttpContext,
  caller: AnyCaller | null,
  presented?: PresentedKey,
): Promise<void> {
  if (caller !== null) ctx.state.caller = caller;
  await pass(runner.gates, { ctx, route, workspaceId: workspaceOf(caller) });
  authorize(route, caller);
  const workspaceId = workspaceOf(caller);
  const upload =
    route.of === 'environment' && workspaceId !== null ? route.openUpload?.(runner.deps, workspaceId) : undefined;
  if (upload !== undefined) ctx.state.upload = upload;
  try {
    const { json, ...parts } = await read(runner, route, ctx);
    const asked: Asked = {
      runner,
      route,
      ctx,
      caller,
      identify: () => identifyAgain(route, () => identify(runner, route, ctx)),
      parts,
      ...(presented === undefined ? {} : { presented }),
      also: alsoOf(route, ctx),
      idempotencyKey: route.idempotent === true ? idempotencyKeyOf(ctx.req.headersDistinct['idempotency-key']) : null,
    };
    const reply = await revealed(asked, await runOnce(asked, json));
    if (reply.status === 202) sayAccepted(ctx, route, reply);
    send(ctx, reply);
  } finally {
    upload?.leave();
  }
}

/** The caller as for a new request, with the rights that they have now. */
export async function identifyAgain(route: AnyRoute, identifyNow: () => Promise<AnyCaller | null>): Promise<AnyCaller> {
  const again = await identifyNow();
  authorize(route, again);
  if (again === null) throw new Error(`route ${route.id} has no caller`);
  return again;
}

/** The arguments that only some kinds of routes have. */
export function alsoOf(route: AnyRoute, ctx: HttpContext): object {
  return route.of === 'user' || route.of === 'public' ? { browser: browserOf(ctx) } : {};
}

/** The caller, by the route's kind. Null if the route takes no credential. */
async function identify(runner: RouteRunner, route: AnyRoute, ctx: HttpContext): Promise<AnyCaller | null> {
  const { authenticators } = runner;
  switch (route.of) {
    case 'environment':
      if (route.environmentOptional === true) return identifyCredential(authenticators, ctx, route);
      return (route.environmentFromPath === true ? identifyCallerOfPath : identifyCaller)(authenticators, ctx, route);
    case 'workspace':
      return identifyMember(authenticators, ctx, {
        named: (ctx['params'] as Record<string, string>)['workspaceId'] ?? '',
        role: route.role,
      });
    case 'user':
      return identifyUser(authenticators, ctx);
    case 'public':
      return null;
  }
}

/** @throws {ServiceError} AUTHORIZATION_ERROR, naming the scope or the role. */
export function authorize(route: AnyRoute, caller: AnyCaller | null): void {
  // A session that need not name an environment has nothing to be refused for.
  if (route.of === 'environment' && route.environmentOptional !== true) requireScope(caller as Caller, route);
  if (route.of !== 'workspace' || route.role === undefined) return;
  if (caller === null || !('role' in caller)) throw new Error(`route ${route.id} has no member who asks`);
  requireRole(caller.role, route.role);
}

export function workspaceOf(caller: AnyCaller | null): string | null {
  return caller !== null && 'workspaceId' in caller ? caller.workspaceId : null;
}

/** Asks each gate in turn. */
export async function pass(gates: readonly Gate[] | undefined, request: GatedRequest): Promise<void> {
  for (const gate of gates ?? []) await gate(request);
}

function browserOf(ctx: HttpContext): Browser {
  return { address: clientAddress(ctx), secureCookie: needsSecureCookie(ctx), sessionToken: readSessionCookie(ctx) };
}

interface RequestFacts {
  requestId: string;
  deps: ApiDependencies;
  signal: AbortSignal;
}

/** The request, checked by the route's schemas, and the context that every form gets. */
async function read(
  runner: RouteRunner,
  route: AnyRoute,
  ctx: HttpContext,
): Promise<ReturnType<typeof parseRequest> & { json: unknown } & RequestFacts> {
  if (route.streamedReply !== true) requireAcceptable(route, ctx);
  const common = { requestId: ctx.state.requestId, deps: runner.deps, signal: clientGoneSignal(ctx) };
  if (route.streamedBody !== undefined) {
    checkStreamedBody(ctx.req, route.streamedBody, route.bodyBytesMax ?? BODY_BYTES_MAX);
    return { ...parseParts(route, ctx), body: undefined, json: undefined, ...common };
  }
  if (route.of === 'environment' && route.readBody !== undefined) {
    const bytes = await readJsonBytes(ctx.req, route.bodyBytesMax ?? BODY_BYTES_MAX, ctx.state.upload);
    const workspaceId = workspaceOf(ctx.state.caller ?? null);
    if (workspaceId === null) throw new Error('the caller of an environment has a workspace');
    const read = await outcomeOf(route.readBody(bytes, runner.deps, workspaceId));
    const [parts, { body, digest }] = allOf(() => parseParts(route, ctx), read);
    return { ...parts, body, json: digest, ...common };
  }
  const json = takesBody(route) ? await readJson(route, ctx) : undefined;
  return { ...parseRequest(route, ctx, json), json, ...common };
}

/** The JSON value of the body, or undefined where there is none. */
async function readJson(route: AnyRoute, ctx: HttpContext): Promise<unknown> {
  const bytes = await readJsonBytes(ctx.req, route.bodyBytesMax ?? BODY_BYTES_MAX, ctx.state.upload);
  ctx.state.bodyBytes = bytes.length;
  await bodyTurns.take(ownerOf(ctx), bytes.length);
  return bytes.length === 0 ? undefined : parseJsonBytes(bytes);
}

/** Whose turn it is to work on a body: the workspace's, and before there is one the client's. */
function ownerOf(ctx: HttpContext): string {
  return workspaceOf(ctx.state.caller ?? null) ?? clientAddress(ctx);
}

/** A GET carries no body. Any other method without a body schema takes none but `{}`. */
function takesBody(route: AnyRoute): boolean {
  return route.method !== 'GET';
}

/** What is wrong with any part is said at once. @throws {ServiceError} VALIDATION_ERROR with the issues of all parts. */
function parseRequest(
  route: AnyRoute,
  ctx: HttpContext,
  json: unknown,
): { params: unknown; query: unknown; body: unknown } {
  const { body = NOTHING, issuesBeside } = route.request;
  const [parts, parsed] = withIssuesBeside(
    () =>
      allOf(
        () => parseParts(route, ctx),
        () => (takesBody(route) ? validateBody(body, json) : undefined),
      ),
    () => issuesBeside?.(json) ?? [],
  );
  return { ...parts, body: parsed };
}

function parseParts(route: AnyRoute, ctx: HttpContext): { params: unknown; query: unknown } {
  const { params = NOTHING, query = NOTHING } = route.request;
  const rawParams = ctx['params'] as Record<string, string>;
  for (const [name, value] of Object.entries(rawParams)) {
    if (value.includes('\0')) throw validationError([{ path: `params.${name}`, message: 'contains a NUL character' }]);
  }
  const [parsedParams, parsedQuery] = allOf(
    () => validatePart('params', strictOf(params), rawParams),
    () => validatePart('query', strictOf(query), queryOf(new URLSearchParams(ctx.querystring))),
  );
  return { params: parsedParams, query: parsedQuery };
}

/** The work, at most once for an Idempotency-Key. */
async function runOnce(asked: Asked, body: unknown): Promise<WireReply> {
  const { runner, route, ctx, caller, idempotencyKey: key } = asked;
  const gated = { ctx, route, workspaceId: workspaceOf(caller) };
  if (key === null || caller === null || !('tenant' in caller) || route.changesNothing?.(asked.parts.body) === true) {
    await pass(runner.workGates, gated);
    return runWork(asked, () => Promise.resolve());
  }
  const { tenant } = caller;
  await bodyTurns.take(tenant.workspaceId, ctx.state.bodyBytes ?? 0);
  const asking = { method: ctx.method, path: ctx.path, workspaceId: tenant.workspaceId, body };
  const requestDigests = runner.deps.vault.digests('an Idempotency-Key', requestDigestOf(asking));
  const { signal } = asked.parts;
  const { reply, replayed } = await runner.idempotency.run(
    { tenant, key, requestDigests, answersFromRecord: route.answersFromRecord === true, signal },
    async (store) => {
      await pass(runner.workGates, gated);
      return runWork(asked, store);
    },
  );
  if (replayed) {
    await asked.identify(); // whose credential ended meanwhile gets the answer of a new request, and no reply of an earlier one
    ctx.set('X-Idempotent-Replay', 'true');
    ctx.state.touched = touchedIds(asked.parts.params, (JSON.parse(reply.body) as { data?: unknown }).data);
  }
  return reply;
}

/** The reply with the credential that it shows once, which is not recorded with it. */
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

const strictSchemas = new WeakMap<z.ZodObject, z.ZodObject>();

/** Made once for each schema: zod compiles a new one at its first use, which cost a tenth of a cheap request. */
function strictOf(schema: z.ZodObject): z.ZodObject {
  const strict = strictSchemas.get(schema) ?? schema.strict();
  strictSchemas.set(schema, strict);
  return strict;
}

/** From the body that is sent, so that a replayed reply, of which no headers are kept, says the same. */
function sayAccepted(ctx: HttpContext, route: AnyRoute, { body }: WireReply): void {
  const { data } = JSON.parse(body) as { data: unknown };
  const accepted = route.accepted?.(data);
  if (accepted === undefined) return; // a suite holds every route that answers 202 to it
  ctx.set('Location', accepted.location);
  ctx.set('Retry-After', String(accepted.retryAfterSeconds));
}

function send(ctx: HttpContext, reply: WireReply): void {
  if (reply.stream !== undefined) return sendStream(ctx, reply.status, reply.stream);
  ctx.status = reply.status;
  ctx.type = reply.isCsv === true ? 'text/csv' : 'application/json';
  ctx.body = reply.body;
  if (isNotModified(ctx)) ctx.status = 304; // Koa then sends no body
}
