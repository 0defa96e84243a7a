import { isDispatchUnclaimed } from '../../db/attempts/dispatches.ts';
import { discountUntoldGrant, releasePlace } from '../../db/in-flight/places.ts';
import type { Granted, InFlightKind } from '../../domain/in-flight.ts';
import type { ActivityDependencies, TellDependency } from '../dependencies.ts';
import { tellPatiently } from '../try-again.ts';

/**
 * Tells the holder of a granted place, after the commit that granted it: in this process if it waits here, otherwise by its workflow.
 * If that workflow has ended, its place goes to the next holder. A failure must not fail an end that is already recorded: a grant that is
 * not claimed in time is granted and told again (`grantFreePlaces`).
 */
export async function tellNext(
  deps: Pick<ActivityDependencies, 'db' | 'logger' | TellDependency>,
  kind: InFlightKind,
  granted: Granted | null,
): Promise<void> {
  let next = granted;
  while (next !== null) {
    const told: Granted = next;
    try {
      if (deps.laneTakers.tell(kind, told.holder)) return;
      if (await tellPatiently(() => deps.tellWaiter(kind, told.holder))) return;
      // A plain invocation waits in another process, without a workflow, and asks again within a second; or a start waits in the outbox.
      if (kind === 'dispatch' && (await deps.db.oneStatement(told, (tx) => isDispatchUnclaimed(tx, told.holder))))
        return;
      const released = { kind, holder: told.holder, most: deps.inFlightCaps[kind], isGrant: true };
      next = await deps.db.oneStatement(told, (tx) => releasePlace(tx, released));
    } catch (error) {
      deps.logger.warn(
        { kind, holder: told.holder, err: error },
        'could not tell a waiter of its place: it is told again',
      );
      await discount(deps, kind, told);
      return;
    }
  }
}

/**
 * A waiter that was not told must not be taken for gone, however long Temporal is away. Where a process crashes before this, or this fails,
 * one lapse too many counts, of `UNCLAIMED_GRANTS_MAX`.
 */
async function discount(
  deps: Pick<ActivityDependencies, 'db' | 'logger'>,
  kind: InFlightKind,
  untold: Granted,
): Promise<void> {
  const { holder, workspaceId, environmentId } = untold;
  try {
    await deps.db.oneStatement({ workspaceId, environmentId }, (tx) => discountUntoldGrant(tx, { kind, holder }));
  } catch (error) {
    deps.logger.warn({ kind, holder, err: error }, 'could not discount a grant that its waiter was not told of');
  }
}
