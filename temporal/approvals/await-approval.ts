import { WorkflowIdReusePolicy } from '@temporalio/common';
import type { ApprovalRef, ApprovalStatus } from '../../domain/approvals/approval.ts';
import { searchAttributes } from '../search-attributes.ts';
import type { Start } from '../start.ts';

/** What crosses the border of the approval workflow: ids and small facts, never an input, a payload or a note. */
export const AWAIT_APPROVAL_WORKFLOW = 'awaitApproval';
export interface AwaitApprovalInput extends ApprovalRef {
  /** What the Temporal UI shows beside it: the action's name, or `free-standing`. */
  subject: string;
}
export interface AwaitApprovalResult {
  status: Exclude<ApprovalStatus, 'pending'>;
}

/** Somebody decided: the row is read. A signal that is lost is sent again by the sweep. */
export const DECIDED_SIGNAL = 'decided';

/** The subject of an approval that no invocation waits for. */
export const FREE_STANDING = 'free-standing';

export function approvalWorkflowId(approvalId: string): string {
  return `approval/${approvalId}`;
}

/** Its row says whether there is anything left to wait for, so that a second run does no harm. */
export function awaitApprovalStart(input: AwaitApprovalInput, taskQueue: string): Start<[AwaitApprovalInput]> {
  const { approvalId, invocationId, workspaceId, environmentId, subject } = input;
  const of = invocationId === null ? '' : ` of invocation ${invocationId}`;
  return {
    type: AWAIT_APPROVAL_WORKFLOW,
    options: {
      workflowId: approvalWorkflowId(approvalId),
      taskQueue,
      args: [{ approvalId, invocationId, workspaceId, environmentId, subject }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      staticSummary: invocationId === null ? `${subject} approval` : `approval of ${subject}`,
      staticDetails: `Approval ${approvalId}${of}. Cancelling this workflow cancels the approval, unless it was decided before.`,
      typedSearchAttributes: searchAttributes({
        workspaceId,
        environmentId,
        actionName: invocationId === null ? null : subject,
        invocationId,
        stage: 'pending',
      }),
    },
  };
}
