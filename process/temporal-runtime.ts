import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, Runtime, type LogEntry } from '@temporalio/worker';
import type { Logger } from 'pino';
import { idsOfWorkflow } from '../domain/touched-ids.ts';

/** How often a process tells Temporal that its workers are alive, which is how the API sees them (api/health/worker-watch.ts). */
const HEARTBEAT_INTERVAL_MS = 5_000;

/**
 * Routes the SDK's logs to ours, and leaves signals to us. Call it once, before the first NativeConnection. `metricsAddress`: where the
 * SDK's core serves its own metrics, as host:port; null: nowhere. Throws where that is taken.
 */
export function installTemporalRuntime(logger: Logger, metricsAddress: string | null): void {
  const write = (entry: LogEntry): void => {
    const level = entry.level.toLowerCase();
    const log = level === 'trace' || level === 'debug' || level === 'warn' || level === 'error' ? level : 'info';
    const workflowId: unknown = entry.meta?.['workflowId'];
    const ids = typeof workflowId === 'string' ? idsOfWorkflow(workflowId) : {};
    logger[log]({ ...entry.meta, ...ids }, entry.message);
  };
  Runtime.install({
    workerHeartbeatInterval: HEARTBEAT_INTERVAL_MS,
    logger: new DefaultLogger('DEBUG', write),
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...(metricsAddress === null ? {} : { metrics: { prometheus: { bindAddress: metricsAddress } } }),
    },
    shutdownSignals: [],
  });
}

/** The bundle that `npm run build` makes of the workflows, in `dist`. Throws where the project was not built. */
export function builtWorkflowBundle(): string {
  const file = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'workflow-bundle.js');
  if (existsSync(file)) return file;
  throw new Error(
    'The workflow bundle is missing. Run "npm run build", and start the process from "dist", as "node dist/worker.js" does.',
  );
}
