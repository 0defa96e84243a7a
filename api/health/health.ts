import type { ApiDependencies } from '../dependencies.ts';
import type { HttpMiddleware } from '../http/context.ts';
import { probeDependencies, readiness } from './probes.ts';

/**
 * GET /healthz: this process answers. GET /readyz: so do the database and Temporal, a worker takes up invocations, and what is
 * set up around the API is there (`npm start` makes keys and a demo after it listens). Neither takes a credential. The state of
 * the workers is one of some seconds ago, so that a probe stays cheap.
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
    const { state } = deps.workers;
    // A worker may have come back since. Unless there is news, the state that is known is answered.
    const [dependencies, workers] = await Promise.all([
      probeDependencies(deps),
      state === 'up' ? state : deps.workers.look(),
    ]);
    const setup = isSetUp() ? 'up' : 'down';
    const { status, body } = readiness({ ...dependencies, workers, setup }, ctx.state.requestId);
    ctx.status = status;
    ctx.body = body;
  };
}
