import type { ApiDependencies } from '../dependencies.ts';
import { describeFailure } from '../http/failures.ts';
import type { HttpMiddleware } from '../http/context.ts';

/** A slower probe counts as failed: load balancers ask every few seconds. */
const PROBE_TIMEOUT_MS = 2_000;

type Probe = 'up' | 'down';

/**
 * GET /healthz: this process answers. GET /readyz: so do the database and Temporal, and what is set up around the API is there
 * (`npm start` makes keys and a demo after it listens). Neither takes a credential.
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
    const [database, temporal] = await Promise.all([
      probe(deps, 'database', () => deps.db.directory.raw('SELECT 1')),
      probe(deps, 'temporal', () => probeTemporal(deps)),
    ]);
    const checks = { database, temporal, setup: isSetUp() ? 'up' : 'down' };
    const away = Object.entries(checks).flatMap(([name, state]) => (state === 'down' ? [name] : []));
    if (away.length === 0) {
      ctx.body = { success: true, data: { status: 'ready', checks } };
      return;
    }
    ctx.status = 503;
    ctx.body = {
      success: false,
      error: { code: 'SERVICE_UNAVAILABLE', message: `Not ready: ${away.join(', ')}.`, details: { checks } },
      requestId: ctx.state.requestId,
    };
  };
}

async function probeTemporal(deps: ApiDependencies): Promise<void> {
  const { connection } = deps.temporal;
  await connection.withDeadline(Date.now() + PROBE_TIMEOUT_MS, () => connection.workflowService.getSystemInfo({}));
}

async function probe(deps: ApiDependencies, name: string, ask: () => PromiseLike<unknown>): Promise<Probe> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${PROBE_TIMEOUT_MS} ms`)), PROBE_TIMEOUT_MS);
  });
  try {
    await Promise.race([ask(), timeout]);
    return 'up';
  } catch (error) {
    deps.logger.warn({ dependency: name, failure: describeFailure(error) }, 'a dependency is not reachable');
    return 'down';
  } finally {
    clearTimeout(timer);
  }
}
