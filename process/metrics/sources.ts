import { statfs } from 'node:fs/promises';
import type { Watchdog } from '../../activities/adapters/watchdog.ts';
import type { Workers } from '../../api/dependencies.ts';
import type { HttpServer } from '../../api/http/http-server.ts';
import type { Database } from '../../db/client.ts';
import type { Source } from './process-metrics.ts';

/** What parts of a process know, as their metrics. */

export function ofWatchdog(watchdog: Pick<Watchdog, 'figures'>): Source {
  return (show) => {
    for (const { kind, inFlight, ended } of watchdog.figures()) {
      show.set('agent_actions_calls_in_flight', { kind }, inFlight);
      show.add('agent_actions_calls_ended_by_watchdog_total', { kind }, ended);
    }
  };
}

export function ofSending({ requireSyncStandby }: { requireSyncStandby: boolean }): Source {
  return (show) => show.set('agent_actions_sync_standby_required', {}, requireSyncStandby ? 1 : 0);
}

/** `pool`: whose it is, because API and worker have one each in one process. */
export function ofPool(db: Pick<Database, 'poolFigures'>, pool: 'api' | 'worker'): Source {
  return (show) => {
    const { busy, idle, max, waiting, timeouts } = db.poolFigures();
    show.set('agent_actions_database_pool_connections', { pool, state: 'busy' }, busy);
    show.set('agent_actions_database_pool_connections', { pool, state: 'idle' }, idle);
    show.set('agent_actions_database_pool_connections_max', { pool }, max);
    show.set('agent_actions_database_pool_waiting', { pool }, waiting);
    show.add('agent_actions_database_pool_timeouts_total', { pool }, timeouts);
  };
}

export function ofHttpServer(server: Pick<HttpServer, 'connections' | 'unanswered'>): Source {
  return (show) => {
    const { open, refused } = server.connections;
    show.set('agent_actions_http_requests_in_flight', {}, server.unanswered);
    show.set('agent_actions_http_connections', {}, open);
    show.add('agent_actions_http_connections_refused_total', {}, refused);
  };
}

export function ofWorkers(workers: Pick<Workers, 'state'>): Source {
  return (show) => {
    for (const state of ['up', 'none', 'unknown'] as const) {
      show.set('agent_actions_workers', { state }, workers.state === state ? 1 : 0);
    }
  };
}

/** A folder that is not there yet, or that cannot be read, has no figure. */
export function ofFilesFolder(folder: string): Source {
  return async (show) => {
    const disk = await statfs(folder).catch(() => null);
    if (disk === null || disk.blocks === 0) return;
    show.set('agent_actions_files_free_ratio', {}, disk.bavail / disk.blocks);
  };
}
