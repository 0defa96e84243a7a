import { setTimeout as delay } from 'node:timers/promises';
import { grantFreePermits } from '../../db/in-flight/grant-free-permits.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { tellNext } from './tell-next.ts';

const INTERVAL_MS = 5_000;

/**
 * Until stopped, grants the permits that are free beside somebody who waits. A release grants its own permit; this is for the
 * releases that did not: a crash, the end of a lease, a waiter that was not told. Every worker process does it, in one
 * statement, and two at once do no harm. So a workflow that waits need not look, and ten thousand cost nothing.
 */
export function keepPermits(
  deps: Pick<ActivityDependencies, 'db' | 'inFlightCaps' | 'permitTakers' | 'tellWaiter' | 'logger'>,
  { intervalMs = INTERVAL_MS }: { intervalMs?: number } = {},
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await delay(intervalMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      try {
        const granted = await grantFreePermits(deps.db, deps.inFlightCaps);
        await Promise.all(granted.map(({ kind, ...waiter }) => tellNext(deps, kind, waiter)));
      } catch (error) {
        deps.logger.warn({ err: error }, 'could not grant free permits: trying again');
      }
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
