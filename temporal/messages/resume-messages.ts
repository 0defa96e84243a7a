import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import { searchAttributes } from '../search-attributes.ts';
import type { Start } from '../start.ts';

export const RESUME_MESSAGES_WORKFLOW = 'resumeMessages';
export interface ResumeMessagesInput {
  workspaceId: string;
  environmentId: string;
  /** Set in a continued run: where the previous run stopped. */
  afterId?: string;
}

export function resumeMessagesWorkflowId(environmentId: string): string {
  return `resume-messages/${environmentId}`;
}

/** Replaces a run that still wakes for an earlier resumption: the messages it woke may have been held again since. */
export function resumeMessagesStart(
  { workspaceId, environmentId }: Omit<ResumeMessagesInput, 'afterId'>,
  taskQueue: string,
): Start<[ResumeMessagesInput]> {
  return {
    type: RESUME_MESSAGES_WORKFLOW,
    options: {
      workflowId: resumeMessagesWorkflowId(environmentId),
      taskQueue,
      args: [{ workspaceId, environmentId }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.TERMINATE_EXISTING,
      staticSummary: 'delivers what the halt of an environment has held',
      typedSearchAttributes: searchAttributes({ workspaceId, environmentId }),
    },
  };
}
