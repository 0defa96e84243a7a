import { getExternalWorkflowHandle, log } from '@temporalio/workflow';
import type { InvocationState } from '../domain/refs.ts';
import { DEPENDENCY_SETTLED_SIGNAL, invocationWorkflowId } from '../temporal/invocations/invoke-action.ts';

/**
 * Signals the invocations that wait for this one's effect that it is settled. One that cannot be signalled has ended, or
 * checks by itself some minutes later.
 */
export async function wakeDependents(state: InvocationState): Promise<void> {
  await Promise.all(
    (state.dependents ?? []).map(async (invocationId) => {
      try {
        await getExternalWorkflowHandle(invocationWorkflowId(invocationId)).signal(DEPENDENCY_SETTLED_SIGNAL);
      } catch (error) {
        log.info('an invocation that depends on this one could not be told', { invocationId, reason: String(error) });
      }
    }),
  );
}
