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
 * between two steps leaves a queued invocation with its workflow, as after any start.
 *
 * @returns what ends the watch; await it.
 */
export function withdrawWhereLeftLying(
  deps: ApiDependencies,
  tenant: Tenant,
  invocationId: string,
): () => Promise<void> {
  let looking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking
      .then(async () => {
        if (!(await isSettledWithdrawal(deps, tenant, invocationId))) return;
        clearInterval(timer);
      })
      .catch((error: unknown) => {
        // The wait continues, and the next check may succeed.
        deps.logger.warn({ invocationId, failure: describeFailure(error) }, 'could not look after a queued invocation');
      });
  }, LOOK_INTERVAL_MS);
  return async () => {
    clearInterval(timer);
    await looking;
  };
}

/** True once the invocation has begun or is withdrawn. */
async function isSettledWithdrawal(deps: ApiDependencies, tenant: Tenant, invocationId: string): Promise<boolean> {
  if (await deps.db.oneStatement(tenant, (tx) => hasBegun(tx, invocationId))) return true;
  if (!(await deps.workers.isLeftLying(invocationWorkflowId(invocationId)))) return false;
  await deps.db.withEnvironment(tenant, async (tx) => {
    if (await withdrawInvocation(tx, invocationId)) announceSettlement(tx, invocationId);
  });
  return true;
}
