import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import type { EffectRef, EffectToRead, InvocationState } from '../../domain/refs.ts';
import { descriptionOf, priorityOf, type Start, summaryOf } from '../start.ts';
import { effectAttributes, effectRefOf } from './effect-start.ts';

/** Keeps reading a succeeded effect that its provider may still reverse. */
export const WATCH_REVERSAL_WORKFLOW = 'watchReversal';
export type WatchReversalInput = EffectRef;
export type WatchReversalResult = InvocationState;

export function reversalWorkflowId(effectId: string): string {
  return `reversal/${effectId}`;
}

const DESCRIPTION = descriptionOf({
  does:
    'Reads a succeeded effect once a day, for thirty days, because its provider may still reverse it. Where it does, the effect ' +
    'becomes failed.',
  standsStill:
    'It sleeps until the time that the current details say. It may be terminated: the sweep starts it again when the next read is due.',
});

export function watchReversalStart(
  ref: EffectToRead,
  taskQueue: string,
  environmentName: string | null,
): Start<[WatchReversalInput]> {
  return {
    type: WATCH_REVERSAL_WORKFLOW,
    options: {
      workflowId: reversalWorkflowId(ref.effectId),
      taskQueue,
      args: [effectRefOf(ref)],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      priority: priorityOf('maintenance', ref.workspaceId),
      staticSummary: summaryOf(`watch ${ref.actionName}`, environmentName),
      staticDetails: DESCRIPTION,
      typedSearchAttributes: effectAttributes(ref, { environment: environmentName, stage: 'settled' }),
    },
  };
}
