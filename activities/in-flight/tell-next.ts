import type { InFlightKind } from '../../domain/in-flight.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/**
 * Tells who is next in line that a place is free, after the commit that gave it back. One that is not told looks by itself, some
 * minutes later at most: a failure here must not cost the end that is on record.
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
    deps.logger.warn({ kind, holder, err: error }, 'could not tell who waits for a place: it looks by itself');
  }
}
