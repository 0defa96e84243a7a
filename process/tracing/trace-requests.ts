import type { ApiOptions } from '../../api/create-api.ts';
import { PROBE_PATHS } from '../../api/http/probe-paths.ts';
import type { HttpMiddleware } from '../../api/http/context.ts';
import { OTLP_TRACES_PATH } from '../../api/runs/otlp/otlp-path.ts';
import { ATTRIBUTES } from '../../domain/tracing/attributes.ts';
import type { Tracing } from '../../domain/tracing/tracing.ts';

/** Probes say nothing, and a span about the spans that are sent to us would be sent to us too. */
const UNTRACED = new Set([...PROBE_PATHS, OTLP_TRACES_PATH]);
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const SERVER_ERROR = 500;

/** The option of the API that traces its requests. */
export function tracedRequests(tracing: Tracing): Pick<ApiOptions, 'aroundRequest'> {
  return tracing.isOn ? { aroundRequest: traced(tracing) } : {};
}

/** A span for each request, under the caller's `traceparent`. The sent path, query and headers are no part of it. */
function traced(tracing: Tracing): HttpMiddleware {
  return (ctx, next) => {
    if (UNTRACED.has(ctx.path)) return next();
    // Anything may stand for the method.
    const method = METHODS.has(ctx.method) ? ctx.method : '_OTHER';
    const parent = ctx.get('traceparent');
    const attributes = { [ATTRIBUTES.method]: method, requestId: ctx.state.requestId };
    return tracing.span({ name: method, kind: 'server', parent, attributes }, async (span) => {
      await next();
      const { route, touched } = ctx.state;
      span.set({ [ATTRIBUTES.status]: ctx.status, ...touched });
      if (route !== undefined) {
        span.rename(`${method} ${route.path}`);
        span.set({ [ATTRIBUTES.route]: route.path });
      }
      if (ctx.status >= SERVER_ERROR) span.fail(String(ctx.status));
    });
  };
}
