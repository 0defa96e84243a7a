import { WorkflowIdReusePolicy } from '@temporalio/common';
import type { InvocationState, ReplayRef } from '../../domain/refs.ts';
import type { Start } from '../start.ts';
import { effectAttributes, effectRefOf } from './effect-start.ts';

/** Sends a lost request once more, under the same provider key. */
export const REPLAY_EFFECT_WORKFLOW = 'replayEffect';
export interface ReplayEffectInput extends ReplayRef {
  /** The action's time-out of the call. */
  timeoutMs: number;
}
export type ReplayEffectResult = InvocationState;

export function replayWorkflowId(attemptId: string): string {
  return `replay/${attemptId}`;
}

/** Runs once for each replay that a person asked for. */
export function replayEffectStart(input: ReplayEffectInput, taskQueue: string): Start<[ReplayEffectInput]> {
  const { attemptId, timeoutMs } = input;
  return {
    type: REPLAY_EFFECT_WORKFLOW,
    options: {
      workflowId: replayWorkflowId(attemptId),
      taskQueue,
      args: [{ ...effectRefOf(input), attemptId, timeoutMs }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      staticSummary: `replay ${input.actionName}`,
      typedSearchAttributes: effectAttributes(input, { stage: 'reconciling', grade: 'unknown' }),
    },
  };
}
