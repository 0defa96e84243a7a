import { WorkflowNotFoundError } from '@temporalio/client';
import type { InvocationRef } from '../../domain/refs.ts';
import { invocationWorkflowId } from '../../temporal/invocations/invoke-action.ts';
import { TEMPORAL_CALL_TIMEOUT_MS } from '../../temporal/time-outs.ts';
import { type KnownStarts, startKnownInvocation } from './start-known-invocation.ts';

/**
 * Ends the wait of an invocation, for a person or for other effects. A request that may have been sent is not undone: the workflow
 * settles it. If somebody terminated the workflow while the invocation waited, it is started first: Temporal accepts the cancellation of
 * a closed workflow and does nothing, and a later decision would start it and send the request. A workflow that has ended normally needs
 * nothing.
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
