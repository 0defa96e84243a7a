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
      const probed = started === null ? null : await probeDependencies(started.dependencies);
      const worker = started?.isPolling() === true ? 'up' : 'down';
      const { status, body } = readiness({ ...probed?.checks, worker }, probed?.oldestQueuedSeconds ?? null);
      return reply(status, body);
    },
  });
}

function reply(status: number, body: object): InternalReply {
  return { status, contentType: 'application/json; charset=utf-8', body: JSON.stringify(body) };
}
