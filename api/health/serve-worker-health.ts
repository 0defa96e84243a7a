import { type InternalListener, type InternalReply, listenInternally } from './internal-listener.ts';
import { type Dependencies, probeDependencies, readiness } from './probes.ts';

export interface WorkerHealth {
  dependencies: Dependencies;
  isPolling: () => boolean;
}

/**
 * Health port of a worker at `host:port`; null disables it. GET /healthz: the process answers. GET /readyz: it polls, and PostgreSQL and
 * Temporal answer. `health` returns null while the worker starts.
 */
export async function serveWorkerHealth(
  address: string | null,
  health: () => WorkerHealth | null,
): Promise<InternalListener> {
  return listenInternally(address, {
    '/healthz': () => reply(200, { success: true, data: { status: 'up' } }),
    '/readyz': async () => {
      const started = health();
      const probes = started === null ? {} : await probeDependencies(started.dependencies);
      const { status, body } = readiness({ ...probes, worker: started?.isPolling() === true ? 'up' : 'down' });
      return reply(status, body);
    },
  });
}

function reply(status: number, body: object): InternalReply {
  return { status, contentType: 'application/json; charset=utf-8', body: JSON.stringify(body) };
}
