import type { InFlightKind } from '../../domain/in-flight.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/**
 * Signals the next holder in the queue that a permit is free, after the commit that released it. A holder that misses the
 * signal checks by itself, some minutes later at most. So a failure here must not fail an end that is already recorded.
 */
export async function tellNext(
  deps: Pick<ActivityDependencies, 'tellWaiter' | 'logger'>,
  kind: InFlightKind,
  holder: string | null,
): Promise<void> {
  if (holder === null) return;
  try {
    await deps.tellWaiter(kind, holder);
  } catch (error) {
    deps.logger.warn({ kind, holder, err: error }, 'could not tell a waiter that a permit is free: it looks by itself');
  }
}
