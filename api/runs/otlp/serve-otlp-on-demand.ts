import { remembered } from '../../../domain/remembered.ts';
import type { HttpMiddleware } from '../../http/context.ts';
import type { RouteRunner } from '../../http/route-runner.ts';
import { OTLP_TRACES_PATH } from './otlp-path.ts';

/** Ingest of traces, loaded by its first request: the names of OpenTelemetry's conventions take memory also where no exporter sends any. */
export function serveOtlpOnDemand(runner: RouteRunner): HttpMiddleware {
  const load = remembered(async () => (await import('./serve-otlp.ts')).serveOtlp(runner));
  return async (ctx, next) => {
    if (ctx.path !== OTLP_TRACES_PATH) return next();
    return (await load())(ctx, next);
  };
}
