import type { Tenant } from '../../db/client.ts';
import { announceSettlement } from '../../db/invocations/changes.ts';
import { hasBegun } from '../../db/invocations/queries.ts';
import { withdrawInvocation } from '../../db/invocations/admission.ts';
import { invocationWorkflowId } from '../../temporal/invocations/invoke-action.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { describeFailure } from '../../domain/failures.ts';

/** Leaves the rest of five seconds, the caller's wait, for the checks and the withdrawal. */
export const LOOK_INTERVAL_MS = 3_500;

/**
 * Withdraws an admission that no worker takes up, and wakes its callers. The first commit decides: the withdrawal deletes the row only
 * before its evaluation commits, and an evaluation without a row ends. A returning worker has therefore begun, or sends nothing. A kill
 * between two steps leaves a queued invocation with its workflow, as after any start. Where a worker of this process may take it up, a
 * crowd alone holds it back: a 503 would have the crowd sent again.
 *
 * @returns what ends the watch. It answers true where the invocation was withdrawn.
 */
export function withdrawWhereLeftLying(
  deps: ApiDependencies,
  tenant: Tenant,
  invocationId: string,
): () => Promise<boolean> {
  let isWithdrawn = false;
  let looking: Promise<void> | null = null;
  const look = async (): Promise<void> => {
    try {
      const found = await lookAt(deps, tenant, invocationId);
      isWithdrawn = found === 'withdrawn';
      if (found !== 'waits') clearInterval(timer);
    } catch (error) {
      // The wait continues, and the next look may succeed.
      deps.logger.warn({ invocationId, failure: describeFailure(error) }, 'could not look after a queued invocation');
    }
  };
  // One at a time: on a crowded machine a look lasts longer than this.
  const timer = setInterval(() => {
    looking ??= look().finally(() => {
      looking = null;
    });
  }, LOOK_INTERVAL_MS);
  return async () => {
    clearInterval(timer);
    await looking;
    return isWithdrawn;
  };
}

async function lookAt(
  deps: ApiDependencies,
  tenant: Tenant,
  invocationId: string,
): Promise<'waits' | 'begun' | 'withdrawn'> {
  if (await deps.db.oneStatement(tenant, (tx) => hasBegun(tx, invocationId))) return 'begun';
  if (deps.eagerStart() || !(await deps.workers.isLeftLying(invocationWorkflowId(invocationId)))) return 'waits';
  return deps.db.withEnvironment(tenant, async (tx) => {
    if (!(await withdrawInvocation(tx, invocationId))) return 'begun';
    announceSettlement(tx, invocationId);
    return 'withdrawn';
  });
}
