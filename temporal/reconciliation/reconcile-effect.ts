import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import type { EffectRef, EffectToRead, InvocationState } from '../../domain/refs.ts';
import { descriptionOf, type JoiningStart, priorityOf, summaryOf } from '../start.ts';
import { effectAttributes, effectRefOf } from './effect-start.ts';

export const RECONCILE_EFFECT_WORKFLOW = 'reconcileEffect';
export type ReconcileEffectInput = EffectRef;
export type ReconcileEffectResult = InvocationState;

/** An Update: reads at once, and returns when the result is settled. */
export const RECONCILE_NOW_UPDATE = 'reconcileNow';
export type ReconcileNowResult = InvocationState;

export function reconciliationWorkflowId(effectId: string): string {
  return `reconcile/${effectId}`;
}

const DESCRIPTION = descriptionOf({
  does:
    'Finds out the outcome of an effect whose answer nobody saw, or that its provider still processes: it reads the provider after ' +
    '5 seconds, then ever less often, and never sends. A person may resolve the effect meanwhile.',
  standsStill:
    'The current details say when it reads next. Exhausted: a person has to look at the provider and to resolve the effect through ' +
    'the API. It may be terminated: the sweep starts it again where the next read is overdue.',
});

/** A running workflow is left as it is. One that ended is started again, and continues from the record. */
export function reconcileEffectStart(
  ref: EffectToRead,
  taskQueue: string,
  environmentName: string | null,
): JoiningStart<[ReconcileEffectInput]> {
  return {
    type: RECONCILE_EFFECT_WORKFLOW,
    options: {
      workflowId: reconciliationWorkflowId(ref.effectId),
      taskQueue,
      args: [effectRefOf(ref)],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      priority: priorityOf('invocation', ref.workspaceId),
      staticSummary: summaryOf(`reconcile ${ref.actionName}`, environmentName),
      staticDetails: DESCRIPTION,
      typedSearchAttributes: effectAttributes(ref, {
        environment: environmentName,
        stage: 'reconciling',
      }),
    },
  };
}
