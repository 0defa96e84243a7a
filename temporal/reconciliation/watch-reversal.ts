import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import type { EffectRef, InvocationState } from '../../domain/refs.ts';
import type { Start } from '../start.ts';
import { effectAttributes, effectRefOf } from './effect-start.ts';

/** Reads on what has succeeded and may still be reversed by its provider. */
export const WATCH_REVERSAL_WORKFLOW = 'watchReversal';
export type WatchReversalInput = EffectRef;
export type WatchReversalResult = InvocationState;

export function reversalWorkflowId(effectId: string): string {
  return `reversal/${effectId}`;
}

/** The grade is known to its first look at the record, not to who starts it. */
export function watchReversalStart(ref: EffectRef, taskQueue: string): Start<[WatchReversalInput]> {
  return {
    type: WATCH_REVERSAL_WORKFLOW,
    options: {
      workflowId: reversalWorkflowId(ref.effectId),
      taskQueue,
      args: [effectRefOf(ref)],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      staticSummary: `watch ${ref.actionName}`,
      typedSearchAttributes: effectAttributes(ref, { stage: 'settled' }),
    },
  };
}
