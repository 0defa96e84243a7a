import { WorkflowIdReusePolicy } from '@temporalio/common';
import type { FlowControlKeyRef } from '../../domain/flow-control/flow-control.ts';
import { searchAttributes } from '../search-attributes.ts';
import { descriptionOf, priorityOf, type Start, summaryOf } from '../start.ts';

export const PACE_FLOW_CONTROL_WORKFLOW = 'paceFlowControl';
export type PaceFlowControlInput = FlowControlKeyRef;
/** The time at which the pacer has to look came forward. */
export const PACE_SIGNAL = 'pace';

export function flowControlWorkflowId(keyId: string): string {
  return `flow-control/${keyId}`;
}

const DESCRIPTION = descriptionOf({
  does:
    'Lets messages of one flow-control key through when only time can: at its next window, at the end of a hold, when a message is ' +
    'due. It ends where a finished call grants the next one.',
  standsStill:
    'The current details say when it looks next. It may be terminated: whoever grants next, or the sweep, starts it again.',
});

/** The pacer of a key ends while only the end of a call can grant, and starts again when the passing of time can. */
export function paceFlowControlStart(
  ref: FlowControlKeyRef,
  taskQueue: string,
  environmentName: string | null,
): Start<[PaceFlowControlInput]> {
  const { keyId, workspaceId, environmentId } = ref;
  return {
    type: PACE_FLOW_CONTROL_WORKFLOW,
    options: {
      workflowId: flowControlWorkflowId(keyId),
      taskQueue,
      args: [{ keyId, workspaceId, environmentId }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      priority: priorityOf('delivery', workspaceId),
      staticSummary: summaryOf('lets messages of a flow-control key through', environmentName),
      staticDetails: DESCRIPTION,
      typedSearchAttributes: searchAttributes({ workspaceId, environmentId, environment: environmentName }),
    },
  };
}
