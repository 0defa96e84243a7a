import { grantFreePermits } from '../../db/in-flight/grant-free-permits.ts';
import type { ActivityDependencies, TellDependency } from '../dependencies.ts';
import { type Repeated, repeatUntilStopped } from '../repeat-until-stopped.ts';
import { tellNext } from './tell-next.ts';

const INTERVAL_MS = 5_000;

/**
 * Until stopped, grants the permits that are free beside somebody who waits. A release grants its own permit; this is for the
 * releases that did not: a crash, the end of a lease, a waiter that was not told. Every worker process does it, in one
 * statement, and two at once do no harm. So a workflow that waits need not look, and ten thousand cost nothing.
 */
export function keepPermits(
  deps: Pick<ActivityDependencies, 'db' | 'logger' | TellDependency>,
  { intervalMs = INTERVAL_MS }: { intervalMs?: number } = {},
): Repeated {
  const step = async (): Promise<void> => {
    const granted = await grantFreePermits(deps.db, deps.inFlightCaps);
    await Promise.all(granted.map(({ kind, ...waiter }) => tellNext(deps, kind, waiter)));
  };
  const failed = (error: unknown): void =>
    deps.logger.warn({ err: error }, 'could not grant free permits: trying again');
  return repeatUntilStopped(step, { intervalMs, failed });
}
