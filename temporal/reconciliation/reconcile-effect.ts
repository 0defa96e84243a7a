import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import type { EffectRef, InvocationState } from '../../domain/refs.ts';
import type { Start } from '../start.ts';
import { effectAttributes, effectRefOf } from './effect-start.ts';

export const RECONCILE_EFFECT_WORKFLOW = 'reconcileEffect';
export type ReconcileEffectInput = EffectRef;
export type ReconcileEffectResult = InvocationState;

/** An Update: reads at once, and returns when the result is settled. */
export const RECONCILE_NOW_UPDATE = 'reconcileNow';
export type ReconcileNowResult = InvocationState;

/**
 * A signal: the record changed (a person resolved it, a replay was answered). The workflow reads it, and ends where it is
 * settled.
 */
export const LOOK_SIGNAL = 'look';

export function reconciliationWorkflowId(effectId: string): string {
  return `reconcile/${effectId}`;
}

/** A running workflow is left as it is. One that ended is started again, and continues from the record. */
export function reconcileEffectStart(ref: EffectRef, taskQueue: string): Start<[ReconcileEffectInput]> {
  return {
    type: RECONCILE_EFFECT_WORKFLOW,
    options: {
      workflowId: reconciliationWorkflowId(ref.effectId),
      taskQueue,
      args: [effectRefOf(ref)],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      staticSummary: `reconcile ${ref.actionName}`,
      typedSearchAttributes: effectAttributes(ref, { stage: 'reconciling', grade: 'unknown' }),
    },
  };
}
