import { activityInfo } from '@temporalio/activity';
import type { Tenant } from '../../db/client.ts';
import { acquirePermit, releasePermit } from '../../db/in-flight/permits.ts';
import { holderOf, type InFlightKind, isWithoutPermit, type NoPermit, permitLeaseMs } from '../../domain/in-flight.ts';
import type { ActivityDependencies, TellDependency } from '../dependencies.ts';
import { tryAgain } from '../try-again.ts';
import { withHeartbeats } from '../with-heartbeats.ts';
import { Queued } from '../permit-takers.ts';
import { tellNext } from './tell-next.ts';

/** Between the tries to release a permit. */
const RELEASE_PAUSES_MS = [100, 500];

type Dependencies = Pick<ActivityDependencies, 'db' | 'heartbeatTimeoutMs' | 'logger' | TellDependency>;

/** Activities that hold one permit from their beginning to their end. */
export type WorkKind = Extract<InFlightKind, 'notification' | 'maintenance'>;

interface WorkOptions<Args extends unknown[]> {
  /** Tells two executions apart that one workflow has under way at once. */
  partOf?: (...args: Args) => string;
}

/**
 * Lets an activity run where its workspace has a permit for it; without one it answers `NoPermit` and has done nothing. The holder is
 * the workflow and the activity, so that an execution after a crash finds the permit of the one before it. The permit is released at
 * the end, also after a failure: Temporal runs the activity again later, and meanwhile others of the workspace have their turn. It
 * sends the activity's heartbeats, while it queues and while it works.
 */
export function workInTurn<Args extends [Tenant, ...unknown[]], Result>(
  deps: Dependencies,
  kind: WorkKind,
  work: (...args: Args) => Promise<Result>,
  { partOf }: WorkOptions<Args> = {},
): (...args: Args) => Promise<Result | NoPermit> {
  const inTurn = async (...args: Args): Promise<Result | NoPermit> => {
    const [{ workspaceId, environmentId }] = args;
    const tenant = { workspaceId, environmentId };
    const { workflowExecution, activityType, startToCloseTimeoutMs } = activityInfo();
    if (workflowExecution === undefined) throw new Error(`${activityType} runs for a workflow alone`);
    const part = partOf === undefined ? activityType : `${activityType}/${partOf(...args)}`;
    const wanted = {
      kind,
      holder: holderOf(workflowExecution.workflowId, part),
      most: deps.inFlightCaps[kind],
      leaseMs: permitLeaseMs(startToCloseTimeoutMs),
    };
    const asked = await deps.permitTakers.inTurn({ workspaceId, ...wanted }, () =>
      deps.db.oneStatement(tenant, async (tx): Promise<'held' | Queued | null> => {
        const position = await acquirePermit(tx, wanted);
        if (position === null) return null;
        return position > 0 ? new Queued(position) : 'held';
      }),
    );
    if (isWithoutPermit(asked)) return asked;
    try {
      return await work(...args);
    } finally {
      await release(deps, tenant, wanted);
    }
  };
  // A taker that waits for its turn to ask must not be presumed dead.
  return (...args) => withHeartbeats(deps, () => inTurn(...args));
}

/** The result of the work stands: a permit that cannot be released is left to its lease, or to the next execution. */
async function release(
  deps: Dependencies,
  tenant: Tenant,
  { kind, holder, most }: { kind: WorkKind; holder: string; most: number },
): Promise<void> {
  try {
    const next = await tryAgain(RELEASE_PAUSES_MS, () =>
      deps.db.oneStatement(tenant, (tx) => releasePermit(tx, { kind, holder, most })),
    );
    await tellNext(deps, kind, next);
  } catch (error) {
    deps.logger.warn({ kind, holder, err: error }, 'could not release a permit: its lease ends');
  }
}
