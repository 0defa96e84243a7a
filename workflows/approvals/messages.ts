/** What crosses the border of the approval workflow: ids and small facts, never an input, a payload or a note. */
import type { ApprovalRef, ApprovalStatus } from '../../domain/approvals/approval.ts';

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

export function approvalWorkflowId(approvalId: string): string {
  return `approval/${approvalId}`;
}
