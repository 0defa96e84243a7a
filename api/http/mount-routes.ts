import type { Router } from '@koa/router';
import { ServiceError } from '../../domain/errors.ts';
import type { HttpContext, RequestState } from './context.ts';
import type { AnyRoute, Method } from './define-route.ts';
import type { RouteRunner } from './route-runner.ts';
import { runRoute } from './run-route.ts';

type RoutesOfPath = ReadonlyMap<Method, AnyRoute>;

/**
 * One layer for each path, the more concrete path first: `/actions/invocations` is never read as an action's name, also for
 * a method that only `/actions/{ref}` has (OpenAPI 3.1, "Paths Object": concrete paths match before templated ones).
 */
export function mountRoutes(router: Router<RequestState>, routes: readonly AnyRoute[], runner: RouteRunner): void {
  const byPath = new Map<string, Map<Method, AnyRoute>>();
  const ids = new Set<string>();
  for (const route of routes) {
    const methods = byPath.get(route.path) ?? new Map<Method, AnyRoute>();
    if (ids.has(route.id) || methods.has(route.method)) throw new Error(`route ${route.id} is declared twice`);
    ids.add(route.id);
    byPath.set(route.path, methods.set(route.method, route));
  }
  for (const path of [...byPath.keys()].sort(moreConcreteFirst)) {
    const methods: RoutesOfPath = byPath.get(path) ?? new Map();
    router.all(path.replaceAll(/\{(\w+)\}/g, ':$1'), (ctx) => answer(runner, methods, ctx as HttpContext));
  }
}

function moreConcreteFirst(a: string, b: string): number {
  const [left, right] = [a, b].map((path) =>
    path
      .split('/')
      .map((part) => (part.startsWith('{') ? '1' : '0'))
      .join(''),
  );
  return (left ?? '').localeCompare(right ?? '');
}

async function answer(runner: RouteRunner, methods: RoutesOfPath, ctx: HttpContext): Promise<void> {
  const allowed = allowedMethods(methods);
  if (ctx.method === 'OPTIONS') {
    ctx.set('Allow', allowed.join(', '));
    ctx.status = 204;
    return;
  }
  const route = methods.get((ctx.method === 'HEAD' ? 'GET' : ctx.method) as Method);
  if (route === undefined) {
    ctx.set('Allow', allowed.join(', '));
    throw new ServiceError('METHOD_NOT_ALLOWED', {
      message: `This path answers ${allowed.slice(0, -1).join(', ')} and ${allowed.at(-1)}, not ${ctx.method}.`,
      details: { allowed },
    });
  }
  await runRoute(runner, route, ctx);
}

function allowedMethods(methods: RoutesOfPath): string[] {
  const names: string[] = [...methods.keys()];
  if (methods.has('GET')) names.push('HEAD');
  return [...names, 'OPTIONS'];
}
