import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { ApprovalRef } from '../../domain/approvals/approval.ts';
import type { InvocationRef } from '../../domain/refs.ts';
import {
  approvalWorkflowId,
  awaitApprovalStart,
  DECIDED_SIGNAL,
  FREE_STANDING,
} from '../../temporal/approvals/await-approval.ts';
import { TASK_QUEUE } from '../../temporal/task-queues.ts';
import { TEMPORAL_CALL_TIMEOUT_MS } from '../../temporal/time-outs.ts';

export interface WakeApprovalOptions {
  environmentName: string | null;
  startInvocation(ref: InvocationRef): Promise<void>;
  taskQueue?: string;
}

/**
 * Signals an approval's workflow to read its row, or starts one: the approval's own when it is free-standing, else that of the waiting
 * invocation. Throws the client's error when Temporal cannot be reached.
 */
export async function wakeApproval(
  client: Client,
  ref: ApprovalRef,
  { environmentName, startInvocation, taskQueue = TASK_QUEUE }: WakeApprovalOptions,
): Promise<void> {
  const { approvalId, invocationId, workspaceId, environmentId } = ref;
  await client.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, async () => {
    if (invocationId === null) {
      const { type, options } = awaitApprovalStart({ ...ref, subject: FREE_STANDING }, taskQueue, environmentName);
      await client.workflow.signalWithStart(type, { ...options, signal: DECIDED_SIGNAL });
      return;
    }
    try {
      await client.workflow.getHandle(approvalWorkflowId(approvalId)).signal(DECIDED_SIGNAL);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      // It has not begun, and will read the row; or somebody terminated it.
      await startInvocation({ invocationId, workspaceId, environmentId });
    }
  });
}
