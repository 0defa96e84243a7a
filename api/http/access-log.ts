import type { Logger } from 'pino';
import { CLIENT_GONE_STATUS, isClientGone } from './client-gone.ts';
import type { HttpMiddleware, RequestState } from './context.ts';

/** One line for each request. It names the route and the ids that the
 * request touched, never the path or query that was sent: those can hold anything. */
export function logAccess(logger: Logger): HttpMiddleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    try {
      await next();
    } finally {
      const { requestId, route, caller, touched } = ctx.state;
      logger.info(
        {
          requestId,
          method: ctx.method,
          route: route?.path ?? null,
          status: isClientGone(ctx) ? CLIENT_GONE_STATUS : ctx.status,
          durationMs: Math.round(performance.now() - startedAt),
          ...callerFields(caller),
          ...touched,
        },
        'request',
      );
    }
  };
}

function callerFields(caller: RequestState['caller']): Record<string, string> {
  if (caller === undefined) return {};
  return {
    ...(caller.type === 'api_key' ? { keyId: caller.keyId } : { userId: caller.userId }),
    ...(caller.type === 'oauth' ? { connectedAppId: caller.grantId } : {}),
    ...('environment' in caller ? { environmentId: caller.environment.id } : {}),
    ...('workspaceId' in caller ? { workspaceId: caller.workspaceId } : {}),
  };
}
