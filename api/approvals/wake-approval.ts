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
  /** Starts the workflow of the invocation that waits, or finds it running. */
  startInvocation(ref: InvocationRef): Promise<void>;
  taskQueue?: string;
}

/**
 * Signals the workflow of an approval to read its row. If none runs, it starts one: for a free-standing approval its own, else
 * that of the invocation that waits for it. Throws the client's error if Temporal cannot be reached.
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
      // It has not begun yet, and reads the row when it does; or somebody terminated the one that waits for it.
      await startInvocation({ invocationId, workspaceId, environmentId });
    }
  });
}
