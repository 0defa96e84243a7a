import { grantFreePlaces } from '../../db/in-flight/directory.ts';
import type { ActivityDependencies, TellDependency } from '../dependencies.ts';
import { type Repeated, repeatUntilStopped } from '../repeat-until-stopped.ts';
import { tellNext } from './tell-next.ts';

const INTERVAL_MS = 5_000;

/**
 * Until stopped, grants the free places of workspaces in which a call waits. A release grants its own place; this covers the cases
 * without one: a crash, the end of a lease, a waiter that was not told. Every worker process does it, in one statement, and two at once
 * do no harm. So a waiting workflow need not look, and ten thousand of them cost nothing.
 */
export function keepPlaces(
  deps: Pick<ActivityDependencies, 'db' | 'logger' | TellDependency>,
  { intervalMs = INTERVAL_MS }: { intervalMs?: number } = {},
): Repeated {
  const step = async (): Promise<void> => {
    const granted = await grantFreePlaces(deps.db, deps.inFlightCaps);
    await Promise.all(granted.map(({ kind, ...waiter }) => tellNext(deps, kind, waiter)));
  };
  const failed = (error: unknown): void =>
    deps.logger.warn({ err: error }, 'could not grant free places: trying again');
  return repeatUntilStopped(step, { intervalMs, failed });
}
