import { isDispatchUnclaimed } from '../../db/attempts/dispatches.ts';
import { isReplayUnclaimed } from '../../db/attempts/replays.ts';
import type { InvocationRef } from '../../domain/refs.ts';
import type { ActivityDependencies } from '../dependencies.ts';

export interface UnclaimedInput extends InvocationRef {
  /** That of a replay; without it the dispatch of the invocation is meant. */
  attemptId?: string;
}

/** Whether a call that did not report back was never claimed, and so never sent: it may be given out again. */
export function isUnclaimed(deps: Pick<ActivityDependencies, 'db'>) {
  return async ({ workspaceId, environmentId, invocationId, attemptId }: UnclaimedInput): Promise<boolean> =>
    deps.db.oneStatement({ workspaceId, environmentId }, (tx) =>
      attemptId === undefined ? isDispatchUnclaimed(tx, invocationId) : isReplayUnclaimed(tx, attemptId),
    );
}
