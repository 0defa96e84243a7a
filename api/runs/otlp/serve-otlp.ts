import { create, toBinary, toJsonString } from '@bufbuild/protobuf';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { ServiceError, statusOf } from '../../../domain/errors.ts';
import { BodyTurns } from '../../http/body-turns.ts';
import { callRouteAsBearer } from '../../http/call-route-as-bearer.ts';
import { challenge } from '../../http/challenge.ts';
import { clientGoneSignal, RequestAbortedError } from '../../http/client-gone.ts';
import type { HttpContext, HttpMiddleware } from '../../http/context.ts';
import { logFailure, toServiceError } from '../../http/failures.ts';
import { requireScope } from '../../http/identify.ts';
import { removeRateLimitHeaders } from '../../http/rate-limit-headers.ts';
import { readBytes } from '../../http/read-json-body.ts';
import type { RouteRunner } from '../../http/route-runner.ts';
import { ExportTraceServiceResponseSchema } from './descriptors.ts';
import { byRun, ingestTracesRoute } from './ingest-traces.ts';
import { inflated, OTLP_BODY_BYTES_MAX, type OtlpEncoding, readTraces } from './read-traces.ts';

const CAPTURE_HEADER = 'X-Service-Capture-Content';
const REASONS_SHOWN_MAX = 5;
/** Runs of one transaction, each with a lock: a batch may have a span of each of hundreds of traces. */
const RUNS_PER_TRANSACTION = 50;

/** The codes of google.rpc.Status by HTTP status. */
const RPC_CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  413: 8,
  415: 3,
  429: 8,
  503: 14,
};
const RPC_INTERNAL = 13;

/**
 * `POST /api/v2/otlp/v1/traces`: OTLP over HTTP, in protobuf or JSON. Requests and replies are OTLP's, failures too (google.rpc.Status). Its
 * key, rate limit, scope and transactions are those of every route.
 */
export function serveOtlp(runner: RouteRunner): HttpMiddleware {
  const turns = new BodyTurns();

  async function ingest(ctx: HttpContext): Promise<void> {
    if (ctx.method !== 'POST') throw notPost(ctx);
    const caller = await runner.authenticators.keys.authenticate(ctx.get('Authorization'));
    ctx.state.caller = caller;
    for (const gate of runner.gates ?? []) await gate({ ctx, workspaceId: caller.workspaceId });
    requireScope(caller, ingestTracesRoute);
    const encoding = encodingOf(ctx);
    if (encoding === null) {
      throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', {
        message: 'Send application/x-protobuf or application/json.',
      });
    }
    const body = await inflated(
      await readBytes(ctx.req, OTLP_BODY_BYTES_MAX),
      ctx.get('Content-Encoding').toLowerCase(),
    );
    await turns.take(caller.workspaceId, body.length);
    const { spans, rejected } = readTraces(body, encoding);
    const captureContent = ctx.get(CAPTURE_HEADER).toLowerCase() === 'true';
    const signal = clientGoneSignal(ctx);
    const runs = byRun(spans);
    // Each is whole or not there. After a failure between two the exporter sends the request again, which changes nothing of the first.
    for (let from = 0; from < runs.length; from += RUNS_PER_TRANSACTION) {
      const groups = runs.slice(from, from + RUNS_PER_TRANSACTION);
      const call = { body: { groups, captureContent }, signal };
      const { data } = await callRouteAsBearer({ runner, ctx, caller, resource: 'api' }, ingestTracesRoute, call);
      rejected.push(...(data as { rejected: string[] }).rejected);
    }
    answer(ctx, encoding, rejected);
  }

  return async (ctx) => {
    ctx.state.route = ingestTracesRoute;
    try {
      await ingest(ctx);
    } catch (error) {
      if (error instanceof RequestAbortedError) throw error;
      refuse(ctx, toServiceError(error), runner);
    }
  };
}

function notPost(ctx: HttpContext): ServiceError {
  ctx.set('Allow', 'POST');
  return new ServiceError('METHOD_NOT_ALLOWED', {
    message: `This path answers POST, not ${ctx.method}.`,
    details: { allowed: ['POST'] },
  });
}

function encodingOf(ctx: HttpContext): OtlpEncoding | null {
  const mediaType = ctx.get('Content-Type').split(';')[0]?.trim().toLowerCase();
  if (mediaType === 'application/x-protobuf') return 'protobuf';
  return mediaType === 'application/json' ? 'json' : null;
}

/** Partial success, as OTLP says: what was rejected is not sent again. */
function answer(ctx: HttpContext, encoding: OtlpEncoding, rejected: readonly string[]): void {
  const reasons = [...new Set(rejected)].slice(0, REASONS_SHOWN_MAX).join('; ');
  const response = create(
    ExportTraceServiceResponseSchema,
    rejected.length === 0 ? {} : { partialSuccess: { rejectedSpans: BigInt(rejected.length), errorMessage: reasons } },
  );
  ctx.status = 200;
  if (encoding === 'json') send(ctx, encoding, toJsonString(ExportTraceServiceResponseSchema, response));
  else send(ctx, encoding, Buffer.from(toBinary(ExportTraceServiceResponseSchema, response)));
}

/** In the encoding of the request; in JSON where it had none of the two. */
function refuse(ctx: HttpContext, error: ServiceError, { deps }: RouteRunner): void {
  const { requestId } = ctx.state;
  logFailure(deps.logger, error, { requestId, route: ingestTracesRoute.id });
  ctx.status = statusOf(error.code);
  if (ctx.status === 429) removeRateLimitHeaders(ctx);
  challenge(ctx, error, deps.pagesUrl);
  const code = RPC_CODES[ctx.status] ?? RPC_INTERNAL;
  const message = `${error.code}: ${error.publicMessage}${issuesOf(error)}`;
  const encoding = encodingOf(ctx) ?? 'json';
  if (encoding === 'json') return send(ctx, encoding, JSON.stringify({ code, message }));
  // google.rpc.Status: code is field 1, message is field 2.
  send(ctx, encoding, Buffer.from(new BinaryWriter().uint32(8).int32(code).uint32(18).string(message).finish()));
}

/** google.rpc.Status has no place of ours for them. */
function issuesOf(error: ServiceError): string {
  const issues = error.code === 'VALIDATION_ERROR' ? error.details?.['issues'] : null;
  if (!Array.isArray(issues)) return '';
  return ` ${(issues as { path: string; message: string }[]).map(({ path, message }) => `${path} ${message}`).join('; ')}`;
}

function send(ctx: HttpContext, encoding: OtlpEncoding, body: string | Buffer): void {
  ctx.type = encoding === 'json' ? 'application/json' : 'application/x-protobuf';
  ctx.body = body;
}
