import { WorkflowIdReusePolicy } from '@temporalio/common';
import type { ApprovalRef, ApprovalStatus } from '../../domain/approvals/approval.ts';
import { searchAttributes } from '../search-attributes.ts';
import { descriptionOf, priorityOf, type Start, summaryOf } from '../start.ts';

/** The data that crosses the approval workflow's boundary: ids and small facts, never an input, a payload or a note. */
export const AWAIT_APPROVAL_WORKFLOW = 'awaitApproval';
export interface AwaitApprovalInput extends ApprovalRef {
  /** Shown beside it in the Temporal UI: the action's name, or `free-standing`. */
  subject: string;
}
export interface AwaitApprovalResult {
  status: Exclude<ApprovalStatus, 'pending'>;
}

/** A decision was made: the workflow reads the row. The sweep repeats a lost signal. */
export const DECIDED_SIGNAL = 'decided';

/** The subject of an approval that no invocation waits for. */
export const FREE_STANDING = 'free-standing';

export function approvalWorkflowId(approvalId: string): string {
  return `approval/${approvalId}`;
}

const DESCRIPTION = descriptionOf({
  does:
    'Keeps the time of one approval: its reminders and its expiry. People decide through the API, and the decision is a row; a ' +
    'signal tells this workflow to read it.',
  standsStill:
    'It waits for people until the time that the current details say. Cancelling this workflow cancels the approval, unless it was ' +
    'decided before. It may be terminated: a decision is found all the same.',
});

/** The row says whether there is anything left to wait for, so a second run is harmless. */
export function awaitApprovalStart(
  input: AwaitApprovalInput,
  taskQueue: string,
  environmentName: string | null,
): Start<[AwaitApprovalInput]> {
  const { approvalId, invocationId, workspaceId, environmentId, subject } = input;
  return {
    type: AWAIT_APPROVAL_WORKFLOW,
    options: {
      workflowId: approvalWorkflowId(approvalId),
      taskQueue,
      args: [{ approvalId, invocationId, workspaceId, environmentId, subject }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      priority: priorityOf('invocation', workspaceId),
      staticSummary: summaryOf(
        invocationId === null ? `${subject} approval` : `approval of ${subject}`,
        environmentName,
      ),
      staticDetails: DESCRIPTION,
      typedSearchAttributes: searchAttributes({
        workspaceId,
        environmentId,
        environment: environmentName,
        actionName: invocationId === null ? null : subject,
        invocationId,
        stage: 'pending',
      }),
    },
  };
}
