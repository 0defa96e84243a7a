import { WorkflowIdReusePolicy } from '@temporalio/common';
import { searchAttributes } from '../search-attributes.ts';
import { descriptionOf, priorityOf, type Start, summaryOf } from '../start.ts';

export const START_MESSAGES_WORKFLOW = 'startMessages';
export interface StartMessagesInput {
  workspaceId: string;
  environmentId: string;
  messageIds: string[];
}

export function startMessagesWorkflowId(firstMessageId: string): string {
  return `start-messages/${firstMessageId}`;
}

const DESCRIPTION = descriptionOf({
  does: 'Starts the workflows of many messages: of a batch, a schedule, or of requests that came at once. No publisher waits for them.',
  standsStill: 'It may be terminated: the sweep starts what has no workflow within two minutes.',
});

export function startMessagesStart(
  input: StartMessagesInput,
  taskQueue: string,
  environmentName: string | null,
): Start<[StartMessagesInput]> {
  const { workspaceId, environmentId, messageIds } = input;
  return {
    type: START_MESSAGES_WORKFLOW,
    options: {
      workflowId: startMessagesWorkflowId(messageIds[0] ?? ''),
      taskQueue,
      args: [{ workspaceId, environmentId, messageIds }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      priority: priorityOf('delivery', workspaceId),
      staticSummary: summaryOf(`starts ${messageIds.length} messages`, environmentName),
      staticDetails: DESCRIPTION,
      typedSearchAttributes: searchAttributes({ workspaceId, environmentId, environment: environmentName }),
    },
  };
}
