import { WorkflowIdReusePolicy } from '@temporalio/common';
import type { MessageEnd, MessageRef } from '../../domain/messages/messages.ts';
import { searchAttributes } from '../search-attributes.ts';
import { descriptionOf, priorityOf, type Start, summaryOf } from '../start.ts';

/** The data that crosses the message workflow's boundary: ids and small facts, never a body, a header or a response. */
export const DELIVER_MESSAGE_WORKFLOW = 'deliverMessage';
export type DeliverMessageInput = MessageRef;
export interface DeliverMessageResult {
  status: MessageEnd;
}
/** Ends a wait: an attempt ended, or the message was cancelled. */
export const WAKE_SIGNAL = 'wake';

export function messageWorkflowId(messageId: string): string {
  return `message/${messageId}`;
}

const DESCRIPTION = descriptionOf({
  does:
    'Keeps the time of one message that is due later, or whose first attempt failed, until it is delivered, failed or cancelled. When ' +
    'the time has come it hands the message over to its lane, where a worker sends it. A message that is delivered at once has no workflow.',
  standsStill:
    'The current details say what it waits for. In its lane the message waits for its turn, for its flow-control key or for the end of a ' +
    'halt. Cancel the workflow to cancel the message. It may be terminated: the message is sent half a minute after its time.',
});

export function deliverMessageStart(
  ref: MessageRef,
  taskQueue: string,
  environmentName: string | null,
): Start<[DeliverMessageInput]> {
  const { messageId, workspaceId, environmentId } = ref;
  return {
    type: DELIVER_MESSAGE_WORKFLOW,
    options: {
      workflowId: messageWorkflowId(messageId),
      taskQueue,
      args: [{ messageId, workspaceId, environmentId }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      priority: priorityOf('delivery', workspaceId),
      staticSummary: summaryOf(messageId, environmentName),
      staticDetails: DESCRIPTION,
      typedSearchAttributes: searchAttributes({
        workspaceId,
        environmentId,
        environment: environmentName,
        stage: 'pending',
      }),
    },
  };
}
