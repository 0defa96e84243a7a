import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import { searchAttributes } from '../search-attributes.ts';
import { descriptionOf, type Start, summaryOf } from '../start.ts';

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
  does: 'Wakes the messages that the halt of an environment has held, page by page, so that they are delivered at once.',
  standsStill: 'It may be terminated: each message looks again by itself, five minutes later at the latest.',
});

/** Replaces a run that still wakes for an earlier resumption: the messages it woke may have been held again since. */
export function resumeMessagesStart(
  { workspaceId, environmentId }: Omit<ResumeMessagesInput, 'afterId'>,
  taskQueue: string,
  environmentName: string | null,
): Start<[ResumeMessagesInput]> {
  return {
    type: RESUME_MESSAGES_WORKFLOW,
    options: {
      workflowId: resumeMessagesWorkflowId(environmentId),
      taskQueue,
      args: [{ workspaceId, environmentId }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.TERMINATE_EXISTING,
      staticSummary: summaryOf('delivers what the halt has held', environmentName),
      staticDetails: DESCRIPTION,
      typedSearchAttributes: searchAttributes({ workspaceId, environmentId, environment: environmentName }),
    },
  };
}
