import { WorkflowIdReusePolicy } from '@temporalio/common';
import { searchAttributes } from '../search-attributes.ts';
import { descriptionOf, priorityOf, type Start, summaryOf } from '../start.ts';

export const PACE_MESSAGES_WORKFLOW = 'paceMessages';
export interface PaceMessagesInput {
  workspaceId: string;
  environmentId: string;
}
/** The time at which the pacer has to look came forward. */
export const PACE_SIGNAL = 'pace';

export function messagePacerWorkflowId(environmentId: string): string {
  return `message-pacer/${environmentId}`;
}

const DESCRIPTION = descriptionOf({
  does:
    'Hands the scheduled messages of an environment over for delivery when they are due. The first hundred have a workflow each; this ' +
    'one keeps the time of all others. It ends where none is left.',
  standsStill:
    'The current details say when it looks next. It may be terminated: the sweep starts it again before the next message is due.',
});

/** The pacer ends while nothing waits under it, and starts again with the next message. */
export function paceMessagesStart(
  { workspaceId, environmentId }: PaceMessagesInput,
  taskQueue: string,
  environmentName: string | null,
): Start<[PaceMessagesInput]> {
  return {
    type: PACE_MESSAGES_WORKFLOW,
    options: {
      workflowId: messagePacerWorkflowId(environmentId),
      taskQueue,
      args: [{ workspaceId, environmentId }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      priority: priorityOf('delivery', workspaceId),
      staticSummary: summaryOf('hands over scheduled messages when they are due', environmentName),
      staticDetails: DESCRIPTION,
      typedSearchAttributes: searchAttributes({ workspaceId, environmentId, environment: environmentName }),
    },
  };
}
