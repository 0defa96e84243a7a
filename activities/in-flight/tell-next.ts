import { releasePermit } from '../../db/in-flight/release-permit.ts';
import type { Granted, InFlightKind } from '../../domain/in-flight.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { tellPatiently } from '../try-again.ts';

/**
 * Tells who was granted a permit, after the commit that granted it: in this process where it waits here, otherwise its workflow.
 * The permit of a workflow that has ended goes to the next. A failure must not fail an end that is already recorded: a grant that
 * nobody claims in time is granted and told again (`grantFreePermits`).
 */
export async function tellNext(
  deps: Pick<ActivityDependencies, 'db' | 'inFlightCaps' | 'permitTakers' | 'tellWaiter' | 'logger'>,
  kind: InFlightKind,
  granted: Granted | null,
): Promise<void> {
  let next = granted;
  while (next !== null) {
    const told: Granted = next;
    try {
      if (deps.permitTakers.tell(kind, told.holder)) return;
      if (await tellPatiently(() => deps.tellWaiter(kind, told.holder))) return;
      const released = { kind, holder: told.holder, most: deps.inFlightCaps[kind] };
      next = await deps.db.oneStatement(told, (tx) => releasePermit(tx, released));
    } catch (error) {
      deps.logger.warn(
        { kind, holder: told.holder, err: error },
        'could not tell a waiter of its permit: it is told again',
      );
      return;
    }
  }
}
