import { WorkflowIdReusePolicy } from '@temporalio/common';
import type { InvocationState, ReplayRef } from '../../domain/refs.ts';
import type { Start } from '../start.ts';
import { effectAttributes, effectRefOf } from './effect-start.ts';

/** Sends what was lost once more, under the same provider key. */
export const REPLAY_EFFECT_WORKFLOW = 'replayEffect';
export interface ReplayEffectInput extends ReplayRef {
  /** Of the action: how long the call may take. */
  timeoutMs: number;
}
export type ReplayEffectResult = InvocationState;

export function replayWorkflowId(attemptId: string): string {
  return `replay/${attemptId}`;
}

/** Once for each replay that a person asked for. */
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
