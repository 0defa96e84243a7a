import type { Logger } from 'pino';
import { type ServiceError, statusOf } from '../../../domain/errors.ts';
import { challenge, linkToCode } from '../../http/error-replies.ts';
import { RequestAbortedError } from '../../http/client-gone.ts';
import type { HttpContext, HttpMiddleware } from '../../http/context.ts';
import { logFailure, toServiceError } from '../../http/failures.ts';
import { removeRateLimitHeaders } from '../../http/rate-limit.ts';
import { OTLP_TRACES_PATH, otlpEncodingOf } from './otlp-path.ts';

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

interface Dependencies {
  logger: Logger;
  pagesUrl: string | null;
}

/** The failures of OTLP's route as OTLP has them: a google.rpc.Status, in the encoding of the request. */
export function answerOtlpFailures(deps: Dependencies, docsBase: string): HttpMiddleware {
  return async (ctx, next) => {
    if (ctx.path !== OTLP_TRACES_PATH) return next();
    try {
      await next();
    } catch (error) {
      if (error instanceof RequestAbortedError) throw error;
      const failure = toServiceError(error);
      logFailure(deps.logger, failure, { requestId: ctx.state.requestId, route: ctx.state.route?.id });
      await refuse(ctx, failure, deps.pagesUrl, docsBase);
    }
  };
}

async function refuse(ctx: HttpContext, error: ServiceError, pagesUrl: string | null, docsBase: string): Promise<void> {
  ctx.status = statusOf(error.code, ctx.state.route);
  if (ctx.status === 429) removeRateLimitHeaders(ctx);
  challenge(ctx, error, pagesUrl);
  ctx.set('Link', linkToCode(error.code, docsBase));
  const code = RPC_CODES[ctx.status] ?? RPC_INTERNAL;
  const message = `${error.code}: ${error.publicMessage}${issuesOf(error)}`;
  // In JSON where the request had neither of the two.
  if (otlpEncodingOf(ctx.get('Content-Type')) !== 'protobuf') {
    ctx.type = 'application/json';
    ctx.body = JSON.stringify({ code, message });
    return;
  }
  const { BinaryWriter } = await import('@bufbuild/protobuf/wire');
  ctx.type = 'application/x-protobuf';
  // google.rpc.Status: code is field 1, message is field 2.
  ctx.body = Buffer.from(new BinaryWriter().uint32(8).int32(code).uint32(18).string(message).finish());
}

/** google.rpc.Status has no place of ours for them. */
function issuesOf(error: ServiceError): string {
  const issues = error.code === 'VALIDATION_ERROR' ? error.details?.['issues'] : null;
  if (!Array.isArray(issues)) return '';
  return ` ${(issues as { path: string; message: string }[]).map(({ path, message }) => `${path} ${message}`).join('; ')}`;
}
