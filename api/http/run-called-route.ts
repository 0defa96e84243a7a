import type { HttpContext } from './context.ts';
import type { AnyRoute } from './define-route.ts';
import type { WireReply } from './idempotency.ts';
import type { RouteRunner } from './route-runner.ts';
import type { AnyCaller } from './route-transaction.ts';
import { alsoOf, identifyAgain, pass, workspaceOf } from './run-route.ts';
import { runWork } from './run-work.ts';

/** A request in another form than the route's own: of one of our pages, or of a protocol beside REST. */
export interface CalledRoute {
  runner: RouteRunner;
  ctx: HttpContext;
  /** Who asks. The rate limit and the scope or role were checked. */
  caller: AnyCaller | null;
  /** What the schemas of the route made of the request. */
  parts: { params: unknown; query: unknown; body: unknown };
  signal: AbortSignal;
  /** The caller as for a new request. */
  identify: () => Promise<AnyCaller | null>;
}

/** Does the work of a route for a request that was read and checked: its gates, transactions, audit entry and reply. */
export async function runCalledRoute(route: AnyRoute, called: CalledRoute): Promise<WireReply> {
  const { runner, ctx, caller, signal, identify } = called;
  const parts = { ...called.parts, requestId: ctx.state.requestId, deps: runner.deps, signal };
  await pass(runner.workGates, { ctx, route, workspaceId: workspaceOf(caller) });
  const again = (): Promise<AnyCaller> => identifyAgain(route, identify);
  const asked = { runner, route, ctx, caller, identify: again, parts, also: alsoOf(route, ctx), idempotencyKey: null };
  return runWork(asked, () => Promise.resolve());
}
