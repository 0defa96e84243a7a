import { activityInfo } from '@temporalio/activity';
import type { Tenant } from '../../db/client.ts';
import { takePlace, releasePlace } from '../../db/in-flight/places.ts';
import { holderOf, type InFlightKind, isWithoutPlace, type NoPlace, placeLeaseMs } from '../../domain/in-flight.ts';
import type { ActivityDependencies, TellDependency } from '../dependencies.ts';
import { tryAgain } from '../try-again.ts';
import { withHeartbeats } from '../with-heartbeats.ts';
import { Queued } from '../lane-takers.ts';
import { tellNext } from './tell-next.ts';

/** Between the tries to release a place. */
const RELEASE_PAUSES_MS = [100, 500];

type Dependencies = Pick<ActivityDependencies, 'db' | 'heartbeatTimeoutMs' | 'logger' | TellDependency>;

/** Activities that hold one place from their beginning to their end. */
export type WorkKind = Extract<InFlightKind, 'notification' | 'maintenance'>;

interface WorkOptions<Args extends unknown[]> {
  /** Tells two executions apart that one workflow has under way at once. */
  partOf?: (...args: Args) => string;
}

/**
 * Lets an activity run where its workspace has a place for it; without one it answers `NoPlace` and has done nothing. The holder is
 * the workflow and the activity, so that an execution after a crash finds the place of the one before it. The place is released at
 * the end, also after a failure: Temporal runs the activity again later, and meanwhile others of the workspace have their turn. It
 * sends the activity's heartbeats, while it queues and while it works.
 */
export function workInTurn<Args extends [Tenant, ...unknown[]], Result>(
  deps: Dependencies,
  kind: WorkKind,
  work: (...args: Args) => Promise<Result>,
  { partOf }: WorkOptions<Args> = {},
): (...args: Args) => Promise<Result | NoPlace> {
  const inTurn = async (...args: Args): Promise<Result | NoPlace> => {
    const [{ workspaceId, environmentId }] = args;
    const tenant = { workspaceId, environmentId };
    const { workflowExecution, activityType, startToCloseTimeoutMs } = activityInfo();
    if (workflowExecution === undefined) throw new Error(`${activityType} runs for a workflow alone`);
    const part = partOf === undefined ? activityType : `${activityType}/${partOf(...args)}`;
    const wanted = {
      kind,
      holder: holderOf(workflowExecution.workflowId, part),
      most: deps.inFlightCaps[kind],
      leaseMs: placeLeaseMs(startToCloseTimeoutMs),
    };
    const asked = await deps.laneTakers.inTurn({ workspaceId, ...wanted }, () =>
      deps.db.oneStatement(tenant, async (tx): Promise<'held' | Queued | null> => {
        const position = await takePlace(tx, wanted);
        if (position === null) return null;
        return position > 0 ? new Queued(position) : 'held';
      }),
    );
    if (isWithoutPlace(asked)) return asked;
    try {
      return await work(...args);
    } finally {
      await release(deps, tenant, wanted);
    }
  };
  // A taker that waits for its turn to ask must not be presumed dead.
  return (...args) => withHeartbeats(deps, () => inTurn(...args));
}

/** The result of the work stands: a place that cannot be released is left to its lease, or to the next execution. */
async function release(
  deps: Dependencies,
  tenant: Tenant,
  { kind, holder, most }: { kind: WorkKind; holder: string; most: number },
): Promise<void> {
  try {
    const next = await tryAgain(RELEASE_PAUSES_MS, () =>
      deps.db.oneStatement(tenant, (tx) => releasePlace(tx, { kind, holder, most })),
    );
    await tellNext(deps, kind, next);
  } catch (error) {
    deps.logger.warn({ kind, holder, err: error }, 'could not release a place: its lease ends');
  }
}
