import { WorkflowIdReusePolicy } from '@temporalio/common';
import type { MessageEnd, MessageRef } from '../../domain/messages/messages.ts';
import { searchAttributes } from '../search-attributes.ts';
import type { Start } from '../start.ts';

/** The data that crosses the message workflow's boundary: ids and small facts, never a body, a header or a response. */
export const DELIVER_MESSAGE_WORKFLOW = 'deliverMessage';
export type DeliverMessageInput = MessageRef;
export interface DeliverMessageResult {
  status: MessageEnd;
}
/** Ends a wait: something that the message waits for changed (its environment resumed, or it was cancelled). */
export const WAKE_SIGNAL = 'wake';

export function messageWorkflowId(messageId: string): string {
  return `message/${messageId}`;
}

/**
 * A completed workflow is not run again. The Temporal UI shows `summary`; a caller that wakes a message knows only its id.
 */
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
