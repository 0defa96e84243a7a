import { WorkflowIdReusePolicy } from '@temporalio/common';
import type { MessageEnd, MessageRef } from '../../domain/messages/messages.ts';
import { searchAttributes } from '../search-attributes.ts';
import { descriptionOf, priorityOf, type Start, summaryOf } from '../start.ts';

/** The data that crosses the message workflow's boundary: ids and small facts, never a body, a header or a response. */
export const DELIVER_MESSAGE_WORKFLOW = 'deliverMessage';
export type DeliverMessageInput = MessageRef;
export interface DeliverMessageResult {
  /** `parked`: the message waits in the queue of its flow-control key, or for the end of a halt, and costs no open workflow meanwhile. */
  status: MessageEnd | 'parked';
}
/** Ends a wait: something that the message waits for changed (its environment resumed, or it was cancelled). */
export const WAKE_SIGNAL = 'wake';

export function messageWorkflowId(messageId: string): string {
  return `message/${messageId}`;
}

const DESCRIPTION = descriptionOf({
  does:
    'Delivers one message: waits until it is due, attempts it, and waits for the next attempt, until it is delivered, failed or ' +
    'cancelled. What is due is decided from the row of the message; this workflow keeps the time. Where the message waits for its turn ' +
    'in a flow-control key, or for the end of a halt, it ends as parked, and begins anew when that comes.',
  standsStill:
    'The current details say what it waits for: the next attempt, or a permit of its workspace. It may be terminated: the sweep starts ' +
    'it again where its next attempt is overdue.',
});

export interface DeliverMessageOptions {
  environmentName: string | null;
  /** Whether a completed workflow is run again: one that was parked. A run of a message that has ended ends at once. */
  again?: boolean | undefined;
}

export function deliverMessageStart(
  ref: MessageRef,
  taskQueue: string,
  { environmentName, again = false }: DeliverMessageOptions,
): Start<[DeliverMessageInput]> {
  const { messageId, workspaceId, environmentId } = ref;
  return {
    type: DELIVER_MESSAGE_WORKFLOW,
    options: {
      workflowId: messageWorkflowId(messageId),
      taskQueue,
      args: [{ messageId, workspaceId, environmentId }],
      workflowIdReusePolicy: again
        ? WorkflowIdReusePolicy.ALLOW_DUPLICATE
        : WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
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
