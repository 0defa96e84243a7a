import { WorkflowIdReusePolicy } from '@temporalio/common';
import { searchAttributes } from '../search-attributes.ts';
import type { Start } from '../start.ts';

export const START_MESSAGES_WORKFLOW = 'startMessages';
export interface StartMessagesInput {
  workspaceId: string;
  environmentId: string;
  messageIds: string[];
}

export function startMessagesWorkflowId(firstMessageId: string): string {
  return `start-messages/${firstMessageId}`;
}

export function startMessagesStart(input: StartMessagesInput, taskQueue: string): Start<[StartMessagesInput]> {
  const { workspaceId, environmentId, messageIds } = input;
  return {
    type: START_MESSAGES_WORKFLOW,
    options: {
      workflowId: startMessagesWorkflowId(messageIds[0] ?? ''),
      taskQueue,
      args: [{ workspaceId, environmentId, messageIds }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      staticSummary: `starts ${messageIds.length} messages of a batch`,
      typedSearchAttributes: searchAttributes({ workspaceId, environmentId }),
    },
  };
}
