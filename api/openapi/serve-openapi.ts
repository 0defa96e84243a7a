import type { AnyRoute } from '../http/define-route.ts';
import type { HttpMiddleware } from '../http/context.ts';
import { buildOpenApi } from './build.ts';

export const OPENAPI_PATH = '/api/v2/openapi.json';

/** Public: it says nothing about any workspace. */
export function serveOpenApi(routes: readonly AnyRoute[]): HttpMiddleware {
  let document: string | undefined;
  return async (ctx, next) => {
    if (ctx.path !== OPENAPI_PATH || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) {
      await next();
      return;
    }
    document ??= JSON.stringify(buildOpenApi(routes));
    ctx.type = 'application/json';
    ctx.body = document;
  };
}
