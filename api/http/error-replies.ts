import { errorRoute } from '../../domain/docs/code-routes.ts';
import { type ErrorCode, ServiceError, statusOf, validationError } from '../../domain/errors.ts';
import { touchedIds } from '../../domain/touched-ids.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { RequestAbortedError } from './client-gone.ts';
import type { HttpContext, HttpMiddleware } from './context.ts';
import { errorBody } from './replies.ts';
import { logFailure, missingMessage, toServiceError } from './failures.ts';
import { NearPaths } from './near-paths.ts';
import { removeRateLimitHeaders } from './rate-limit.ts';
import { resourceMetadataPath, resourceOfPath } from './oauth-places.ts';

/** Turns every thrown error into the one error body (docs/api.md, "Errors"). */
export function replyWithErrors(deps: Pick<ApiDependencies, 'logger' | 'pagesUrl'>, docsBase: string): HttpMiddleware {
  const { logger } = deps;
  return async (ctx, next) => {
    try {
      refuseUnusableTarget(ctx);
      await next();
    } catch (thrown) {
      if (thrown instanceof RequestAbortedError) {
        ctx.respond = false; // the connection is gone
        return;
      }
      const error = toServiceError(thrown);
      ctx.state.touched = touchedIds(ctx['params'], error.details, error.touched);
      logFailure(logger, error, { requestId: ctx.state.requestId, route: ctx.state.route?.id, ...ctx.state.touched });
      replyWithError(ctx, error, docsBase);
      challenge(ctx, error, deps.pagesUrl);
    }
  };
}

/** Node accepts an absolute target that is no URL, such as `http://[`; Koa's `path` getter throws for it. */
function refuseUnusableTarget(ctx: HttpContext): void {
  try {
    void ctx.path;
  } catch {
    throw validationError([{ path: 'path', message: 'is not a URL' }]);
  }
}

/** An installation may be offline, so the API serves the page of a code itself. */
export function linkToCode(code: ErrorCode, docsBase: string): string {
  return `<${docsBase}/docs${errorRoute(code)}>; rel="help"`;
}

function replyWithError(ctx: HttpContext, error: ServiceError, docsBase: string): void {
  const status = statusOf(error.code, ctx.state.route);
  // A failure must not be cached as the route's own reply is.
  for (const name of Object.keys(ctx.state.route?.headers ?? {})) ctx.remove(name);
  ctx.set('Cache-Control', 'no-store');
  ctx.status = status;
  ctx.type = 'application/json';
  if (status === 429) removeRateLimitHeaders(ctx);
  if (error.code === 'RANGE_NOT_SATISFIABLE') ctx.set('Content-Range', `bytes */${String(error.details?.['size'])}`);
  if (error.retryAfterSeconds !== undefined) ctx.set('Retry-After', String(error.retryAfterSeconds));
  // The specification fixes the body's members, so the link goes into a header (RFC 8288).
  ctx.set('Link', linkToCode(error.code, docsBase));
  const message = error.missing === undefined ? null : missingMessage(error.missing, ctx.state.caller);
  ctx.body = JSON.stringify(errorBody(error, ctx.state.requestId, message ?? error.publicMessage));
}

/** The last middleware: no route has this path. */
export function refuseUnknownPath(routes: readonly { path: string }[]): HttpMiddleware {
  const near = new NearPaths(routes.map(({ path }) => path));
  return (ctx) => {
    const found = near.of(ctx.path);
    const meant = found.length === 0 ? '' : ` Did you mean ${found.join(' or ')}?`;
    const message = `No such path.${meant} The paths are listed at /reference, and for programs at /api/v2/openapi.json.`;
    throw new ServiceError('NOT_FOUND', { message });
  };
}

/** Tells the client what it can do (RFC 6750, 3 and RFC 9728, 5.1): which server issues tokens, and the missing scope. */
export function challenge(ctx: HttpContext, error: ServiceError, issuer: string | null): void {
  const parts: string[] = [];
  if (ctx.status === 401 && ctx.get('Authorization') !== '') parts.push('error="invalid_token"');
  if (ctx.status === 403) {
    if (error.lackedScope === undefined || ctx.state.caller?.type !== 'oauth') return;
    parts.push('error="insufficient_scope"', `scope="${error.lackedScope}"`);
  } else if (ctx.status !== 401) return;
  const resource = resourceOfPath(ctx.path);
  if (issuer !== null && resource !== null) {
    parts.push(`resource_metadata="${issuer}${resourceMetadataPath(resource)}"`);
  }
  ctx.set('WWW-Authenticate', ['Bearer', parts.join(', ')].filter((part) => part !== '').join(' '));
}
