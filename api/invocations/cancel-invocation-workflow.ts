import { WorkflowNotFoundError } from '@temporalio/client';
import type { InvocationRef } from '../../domain/refs.ts';
import { invocationWorkflowId } from '../../temporal/invocations/invoke-action.ts';
import { TEMPORAL_CALL_TIMEOUT_MS } from '../../temporal/time-outs.ts';
import { type KnownStarts, startKnownInvocation } from './start-known-invocation.ts';

/**
 * Ends an invocation's wait for a person or other effects; a request that may have been sent is settled, not undone. A workflow terminated
 * during the wait is started first: Temporal ignores the cancellation of a closed workflow, and a later decision would start it and send
 * the request.
 */
export async function cancelInvocationWorkflow(deps: KnownStarts, ref: InvocationRef): Promise<void> {
  await startKnownInvocation(deps, ref);
  const { temporal } = deps;
  const handle = temporal.workflow.getHandle(invocationWorkflowId(ref.invocationId));
  try {
    await temporal.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, () => handle.cancel());
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
