import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import type { EffectRef, InvocationState } from '../../domain/refs.ts';
import type { Start } from '../start.ts';
import { effectAttributes, effectRefOf } from './effect-start.ts';

/** Keeps reading a succeeded effect that its provider may still reverse. */
export const WATCH_REVERSAL_WORKFLOW = 'watchReversal';
export type WatchReversalInput = EffectRef;
export type WatchReversalResult = InvocationState;

export function reversalWorkflowId(effectId: string): string {
  return `reversal/${effectId}`;
}

/** The workflow learns the grade from the record. Its starter does not know it. */
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
