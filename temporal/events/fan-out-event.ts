import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import type { EventRef, FanOutStep } from '../../domain/events/events.ts';
import { searchAttributes } from '../search-attributes.ts';
import { descriptionOf, priorityOf, type Start, summaryOf } from '../start.ts';

export const FAN_OUT_EVENT_WORKFLOW = 'fanOutEvent';
export type FanOutEventInput = EventRef;
export type FanOutEventResult = Omit<Extract<FanOutStep, { next: 'end' }>, 'next'>;

export function eventWorkflowId(eventId: string): string {
  return `event/${eventId}`;
}

const DESCRIPTION = descriptionOf({
  does: 'Makes a message for each subscription that an event matches, page by page, and starts their deliveries.',
  standsStill:
    'The pending activity says why: the next try begins at the cursor. It may be terminated: the sweep starts it again at the cursor.',
});

/** A running workflow is left as it is. */
export function fanOutEventStart(
  ref: FanOutEventInput,
  taskQueue: string,
  environmentName: string | null,
): Start<[FanOutEventInput]> {
  const { eventId, workspaceId, environmentId } = ref;
  return {
    type: FAN_OUT_EVENT_WORKFLOW,
    options: {
      workflowId: eventWorkflowId(eventId),
      taskQueue,
      args: [{ eventId, workspaceId, environmentId }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      priority: priorityOf('delivery', workspaceId),
      staticSummary: summaryOf('fans out an event', environmentName),
      staticDetails: DESCRIPTION,
      typedSearchAttributes: searchAttributes({ workspaceId, environmentId, environment: environmentName }),
    },
  };
}
