import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Database } from '../../db/client.ts';
import { readOldestQueuedSeconds } from '../../db/metrics/installation-figures.ts';
import { describeFailure } from '../../domain/failures.ts';

/** A slower probe counts as failed: load balancers ask every few seconds. */
const PROBE_TIMEOUT_MS = 2_000;

export type Probe = 'up' | 'down';

export interface Dependencies {
  db: Pick<Database, 'directory'>;
  temporal: Pick<Client, 'connection'>;
  logger: Logger;
}

export interface Probed {
  checks: { database: Probe; temporal: Probe };
  /** Age of the oldest queued invocation, which the probe of the database asks for; null where that does not answer. */
  oldestQueuedSeconds: number | null;
}

export async function probeDependencies(deps: Dependencies): Promise<Probed> {
  let oldestQueuedSeconds: number | null = null;
  const [database, temporal] = await Promise.all([
    probe(deps.logger, 'database', async () => {
      oldestQueuedSeconds = await readOldestQueuedSeconds(deps.db);
    }),
    probe(deps.logger, 'temporal', () => askTemporal(deps.temporal)),
  ]);
  return { checks: { database, temporal }, oldestQueuedSeconds };
}

async function askTemporal({ connection }: Dependencies['temporal']): Promise<void> {
  await connection.withDeadline(Date.now() + PROBE_TIMEOUT_MS, () => connection.workflowService.getSystemInfo({}));
}

async function probe(logger: Logger, name: string, ask: () => PromiseLike<unknown>): Promise<Probe> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${PROBE_TIMEOUT_MS} ms`)), PROBE_TIMEOUT_MS);
  });
  try {
    await Promise.race([ask(), timeout]);
    return 'up';
  } catch (error) {
    logger.warn({ dependency: name, failure: describeFailure(error) }, 'a dependency is not reachable');
    return 'down';
  } finally {
    clearTimeout(timer);
  }
}

/** Ready when no check reports a failure. The age of the queue is told beside them, and decides nothing. */
export function readiness(
  checks: Readonly<Record<string, Probe | 'none' | 'unknown'>>,
  oldestQueuedSeconds: number | null,
  requestId?: string,
) {
  const away = Object.entries(checks).flatMap(([name, state]) => (state === 'down' || state === 'none' ? [name] : []));
  const details = { checks, oldestQueuedSeconds };
  if (away.length === 0) return { status: 200, body: { success: true, data: { status: 'ready', ...details } } };
  const error = { code: 'SERVICE_UNAVAILABLE', message: `Not ready: ${away.join(', ')}.`, details };
  return { status: 503, body: { success: false, error, ...(requestId === undefined ? {} : { requestId }) } };
}
