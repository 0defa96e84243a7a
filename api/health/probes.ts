import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Database } from '../../db/client.ts';
import { describeFailure } from '../../domain/failures.ts';

/** A slower probe counts as failed: load balancers ask every few seconds. */
const PROBE_TIMEOUT_MS = 2_000;

export type Probe = 'up' | 'down';

export interface Dependencies {
  db: Pick<Database, 'directory'>;
  temporal: Pick<Client, 'connection'>;
  logger: Logger;
}

export async function probeDependencies(deps: Dependencies): Promise<{ database: Probe; temporal: Probe }> {
  const [database, temporal] = await Promise.all([
    probe(deps.logger, 'database', () => deps.db.directory.raw('probe_dependencies', 'SELECT 1')),
    probe(deps.logger, 'temporal', () => askTemporal(deps.temporal)),
  ]);
  return { database, temporal };
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

/** Ready when no check reports a failure. */
export function readiness(checks: Readonly<Record<string, Probe | 'none' | 'unknown'>>, requestId?: string) {
  const away = Object.entries(checks).flatMap(([name, state]) => (state === 'down' || state === 'none' ? [name] : []));
  if (away.length === 0) return { status: 200, body: { success: true, data: { status: 'ready', checks } } };
  const error = { code: 'SERVICE_UNAVAILABLE', message: `Not ready: ${away.join(', ')}.`, details: { checks } };
  return { status: 503, body: { success: false, error, ...(requestId === undefined ? {} : { requestId }) } };
}
