import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { invocationWorkflowId } from '../../temporal/invocations/invoke-action.ts';

/**
 * Ends the wait of an invocation, for a person or for other effects. What may have been sent is not undone: the workflow settles it. One
 * that has ended, or has not begun, needs nothing.
 */
export async function cancelInvocationWorkflow(client: Client, invocationId: string): Promise<void> {
  try {
    await client.workflow.getHandle(invocationWorkflowId(invocationId)).cancel();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
