import { WorkflowIdReusePolicy } from '@temporalio/common';
import type { MessageEnd, MessageRef } from '../../domain/messages/messages.ts';
import { searchAttributes } from '../search-attributes.ts';
import type { Start } from '../start.ts';

/** What crosses the border of the workflow of a message: ids and small facts, never a body, a header or a response. */
export const DELIVER_MESSAGE_WORKFLOW = 'deliverMessage';
export type DeliverMessageInput = MessageRef;
export interface DeliverMessageResult {
  status: MessageEnd;
}
/** Ends a wait: something changed that the message waits for (its environment resumed, or it was cancelled). */
export const WAKE_SIGNAL = 'wake';

export function messageWorkflowId(messageId: string): string {
  return `message/${messageId}`;
}

/** One that ended well stays ended. `summary` is what the Temporal UI shows; who wakes a message does not know more than its id. */
export function deliverMessageStart(
  ref: MessageRef,
  taskQueue: string,
  summary: string = ref.messageId,
): Start<[DeliverMessageInput]> {
  const { messageId, workspaceId, environmentId } = ref;
  return {
    type: DELIVER_MESSAGE_WORKFLOW,
    options: {
      workflowId: messageWorkflowId(messageId),
      taskQueue,
      args: [{ messageId, workspaceId, environmentId }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
      staticSummary: summary,
      typedSearchAttributes: searchAttributes({ workspaceId, environmentId, stage: 'pending' }),
    },
  };
}
