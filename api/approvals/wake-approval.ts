import { type Client, WorkflowIdReusePolicy, WorkflowNotFoundError } from '@temporalio/client';
import type { ApprovalRef } from '../../domain/approvals/approval.ts';
import {
  approvalWorkflowId,
  AWAIT_APPROVAL_WORKFLOW,
  type AwaitApprovalInput,
  DECIDED_SIGNAL,
} from '../../workflows/approvals/messages.ts';
import { SEARCH_ATTRIBUTES, TASK_QUEUE } from '../../workflows/search-attributes.ts';
import { startInvocationWorkflow } from '../invocations/start-invocation-workflow.ts';

/** An API request does not hang on a Temporal that is away. */
const WAKE_TIMEOUT_MS = 5_000;
const FREE_STANDING = 'free-standing';

/**
 * Tells the workflow of an approval to read its row, and starts it where there is none: of a free-standing approval by itself,
 * of another one through the invocation that waits for it. Throws what the client throws where Temporal cannot be reached.
 */
export async function wakeApproval(
  client: Client,
  ref: ApprovalRef,
  { taskQueue = TASK_QUEUE }: { taskQueue?: string } = {},
): Promise<void> {
  const { approvalId, invocationId, workspaceId, environmentId } = ref;
  const workflowId = approvalWorkflowId(approvalId);
  await client.withDeadline(Date.now() + WAKE_TIMEOUT_MS, async () => {
    if (invocationId === null) {
      const input: AwaitApprovalInput = {
        approvalId,
        workspaceId,
        environmentId,
        invocationId,
        subject: FREE_STANDING,
      };
      await client.workflow.signalWithStart(AWAIT_APPROVAL_WORKFLOW, {
        workflowId,
        taskQueue,
        args: [input],
        signal: DECIDED_SIGNAL,
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        staticSummary: `${FREE_STANDING} approval`,
        staticDetails: `Approval ${approvalId}. Cancelling this workflow cancels the approval, unless it was decided before.`,
        typedSearchAttributes: [
          { key: SEARCH_ATTRIBUTES.workspaceId, value: workspaceId },
          { key: SEARCH_ATTRIBUTES.environmentId, value: environmentId },
          { key: SEARCH_ATTRIBUTES.stage, value: 'pending' },
        ],
      });
      return;
    }
    try {
      await client.workflow.getHandle(workflowId).signal(DECIDED_SIGNAL);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      // It has not begun yet, and reads the row when it does; or somebody terminated the one that waits for it.
      await startInvocationWorkflow(client, { invocationId, workspaceId, environmentId }, { eager: false, taskQueue });
    }
  });
}
