import type { ApiDependencies } from '../dependencies.ts';
import type { HttpMiddleware } from '../http/context.ts';
import { probeDependencies, readiness } from './probes.ts';

/**
 * GET /healthz: the process answers. GET /readyz: database and Temporal answer, a worker process polls, and the surroundings are set up
 * (`npm start` makes keys and a demo). An API that runs invocations itself counts for none: it leaves deliveries, provider reads,
 * notifications and the sweep to worker processes. No credential. The workers' state is some seconds old, which makes a probe cheap.
 */
export function healthChecks(deps: ApiDependencies, isSetUp: () => boolean = () => true): HttpMiddleware {
  return async (ctx, next) => {
    const isProbe = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (isProbe && ctx.path === '/healthz') {
      ctx.body = { success: true, data: { status: 'up' } };
      return;
    }
    if (!isProbe || ctx.path !== '/readyz') {
      await next();
      return;
    }
    const { state } = deps.workerProcesses;
    // A worker may have returned. Without news, the known state is the answer.
    const [{ checks, oldestQueuedSeconds }, workers] = await Promise.all([
      probeDependencies(deps),
      state === 'up' ? state : deps.workerProcesses.look(),
    ]);
    const setup = isSetUp() ? 'up' : 'down';
    const { status, body } = readiness({ ...checks, workers, setup }, oldestQueuedSeconds, ctx.state.requestId);
    ctx.status = status;
    ctx.body = body;
  };
}
