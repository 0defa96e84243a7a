import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import { searchAttributes } from '../search-attributes.ts';
import { descriptionOf, priorityOf, type Start, summaryOf } from '../start.ts';

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

const DESCRIPTION = descriptionOf({
  does: 'Lets the messages that the halt of an environment has held queue for delivery, page by page, and starts the first of them.',
  standsStill: 'It may be terminated: the sweep starts it again within two minutes.',
});

/**
 * For a resumption: replaces a run that still wakes for an earlier one, because the messages it woke may have been held again since. For
 * the sweep (`replaces` false): refused while one runs.
 */
export function resumeMessagesStart(
  { workspaceId, environmentId }: Omit<ResumeMessagesInput, 'afterId'>,
  taskQueue: string,
  environmentName: string | null,
  replaces = true,
): Start<[ResumeMessagesInput]> {
  return {
    type: RESUME_MESSAGES_WORKFLOW,
    options: {
      workflowId: resumeMessagesWorkflowId(environmentId),
      taskQueue,
      args: [{ workspaceId, environmentId }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      workflowIdConflictPolicy: replaces ? WorkflowIdConflictPolicy.TERMINATE_EXISTING : WorkflowIdConflictPolicy.FAIL,
      priority: priorityOf('delivery', workspaceId),
      staticSummary: summaryOf('delivers what the halt has held', environmentName),
      staticDetails: DESCRIPTION,
      typedSearchAttributes: searchAttributes({ workspaceId, environmentId, environment: environmentName }),
    },
  };
}
