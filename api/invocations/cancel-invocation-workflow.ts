import { WorkflowNotFoundError } from '@temporalio/client';
import type { InvocationRef } from '../../domain/refs.ts';
import { invocationWorkflowId } from '../../temporal/invocations/invoke-action.ts';
import { TEMPORAL_CALL_TIMEOUT_MS } from '../../temporal/time-outs.ts';
import { type KnownStarts, startKnownInvocation } from './start-known-invocation.ts';

/**
 * Ends the wait of an invocation, for a person or for other effects. What may have been sent is not undone: the workflow settles it. One
 * that somebody terminated while the invocation waited is started first: Temporal accepts its cancellation and does nothing, and a decision
 * would start it and send the request. One that has ended needs nothing.
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
