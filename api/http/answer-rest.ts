import { ServiceError, validationError } from '../../domain/errors.ts';
import { clientGoneSignal } from './client-gone.ts';
import type { HttpContext, HttpMiddleware } from './context.ts';
import type { AnyRoute, Method } from './define-route.ts';
import { callRoute, type Parts, workspaceOf } from './front-door.ts';
import type { RouteRunner } from './route-runner.ts';
import type { WireReply } from './idempotency.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { identify, presentedBy } from './identify.ts';
import { checkStreamedBody, isNotModified, sendStream } from './replies.ts';
import { BODY_BYTES_MAX, parseJsonBytes, readJsonBytes } from './bodies.ts';
import { type RoutesOfPath, RouteTable } from './route-table.ts';
import { clientAddress } from './every-request.ts';
import { allOf, outcomeOf, queryOf, validateBody, validatePart, withIssuesBeside } from './validate-request.ts';
import { z } from 'zod';

export function answerRest(runner: RouteRunner, routes: readonly AnyRoute[]): HttpMiddleware {
  const table = new RouteTable(routes);
  return async (ctx, next) => {
    const found = table.find(ctx.path);
    if (found === null) return next();
    ctx['params'] = found.params;
    const allowed = allowedMethods(found.routes);
    if (ctx.method === 'OPTIONS') {
      ctx.set('Allow', allowed.join(', '));
      ctx.status = 204;
      return;
    }
    const route = found.routes.get((ctx.method === 'HEAD' ? 'GET' : ctx.method) as Method);
    if (route === undefined) {
      ctx.set('Allow', allowed.join(', '));
      throw new ServiceError('METHOD_NOT_ALLOWED', {
        message: `This path answers ${allowed.slice(0, -1).join(', ')} and ${allowed.at(-1)}, not ${ctx.method}.`,
        details: { allowed },
      });
    }
    await answer(runner, route, ctx);
  };
}

function allowedMethods(routes: RoutesOfPath): string[] {
  const names: string[] = [...routes.keys()];
  if (routes.has('GET')) names.push('HEAD');
  return [...names, 'OPTIONS'];
}

async function answer(runner: RouteRunner, route: AnyRoute, ctx: HttpContext): Promise<void> {
  if (route.headers !== undefined) ctx.set(route.headers);
  const reply = await callRoute({
    runner,
    route,
    ctx,
    identify: () => identify(runner.authenticators, ctx, route, presentedBy(ctx)),
    read: () => read(runner, route, ctx),
    signal: clientGoneSignal(ctx),
  });
  if (reply.status === 202) sayAccepted(ctx, route, reply);
  send(ctx, reply);
}

const NOTHING = z.strictObject({});

async function read(runner: RouteRunner, route: AnyRoute, ctx: HttpContext): Promise<Parts> {
  if (route.streamedReply !== true && route.events === undefined) requireAcceptable(route, ctx);
  const parts = await readParts(runner, route, ctx);
  if (route.idempotent !== true) return parts;
  return { ...parts, idempotencyKey: idempotencyKeyOf(ctx.req.headersDistinct['idempotency-key']) };
}

/** Refuses a caller who accepts nothing that the route answers: JSON, and CSV where the route has it. */
function requireAcceptable({ csv }: AnyRoute, ctx: HttpContext): void {
  const accept = ctx.req.headers.accept;
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return;
  if (ctx.accepts(csv === true ? ['json', 'csv'] : ['json']) !== false) return;
  throw new ServiceError(
    'NOT_ACCEPTABLE',
    csv === true ? { message: 'This route answers application/json and text/csv.' } : {},
  );
}

async function readParts(runner: RouteRunner, route: AnyRoute, ctx: HttpContext): Promise<Parts> {
  const bytesMax = route.bodyBytesMax ?? BODY_BYTES_MAX;
  if (route.streamedBody !== undefined) {
    checkStreamedBody(ctx.req, route.streamedBody, bytesMax);
    return { ...pathAndQuery(route, ctx), body: undefined };
  }
  // A GET carries no body. Any other method without a body schema takes none but `{}`.
  if (route.method === 'GET') return { ...pathAndQuery(route, ctx), body: undefined };
  const bytes = await readJsonBytes(ctx.req, bytesMax, ctx.state.upload);
  const workspaceId = workspaceOf(ctx.state.caller ?? null);
  if (route.of === 'environment' && route.readBody !== undefined) {
    if (workspaceId === null) throw new Error('the caller of an environment has a workspace');
    const outcome = await outcomeOf(route.readBody(bytes, runner.deps, workspaceId));
    const [parts, { body, digest }] = allOf(() => pathAndQuery(route, ctx), outcome);
    return { ...parts, body, json: digest };
  }
  ctx.state.bodyBytes = bytes.length;
  await runner.bodyTurns.take(workspaceId ?? clientAddress(ctx), bytes.length);
  const json = bytes.length === 0 ? undefined : parseJsonBytes(bytes);
  const { body = NOTHING, issuesBeside } = route.request;
  const [parts, parsed] = withIssuesBeside(
    () =>
      allOf(
        () => pathAndQuery(route, ctx),
        () => validateBody(body, json),
      ),
    () => issuesBeside?.(json) ?? [],
  );
  return { ...parts, body: parsed, json };
}

function pathAndQuery(route: AnyRoute, ctx: HttpContext): { params: unknown; query: unknown } {
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

const strictSchemas = new WeakMap<z.ZodObject, z.ZodObject>();

/** Made once for each schema: zod compiles a new one at its first use, which cost a tenth of a cheap request. */
function strictOf(schema: z.ZodObject): z.ZodObject {
  const strict = strictSchemas.get(schema) ?? schema.strict();
  strictSchemas.set(schema, strict);
  return strict;
}

/** Derived from the body that is sent, so that a replayed reply says the same: its headers are not stored. */
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
