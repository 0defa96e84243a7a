import { WorkflowIdReusePolicy } from '@temporalio/common';
import type { InvocationState, ReplayRef } from '../../domain/refs.ts';
import { descriptionOf, priorityOf, type Start, summaryOf } from '../start.ts';
import { effectAttributes, effectRefOf } from './effect-start.ts';

export const REPLAY_EFFECT_WORKFLOW = 'replayEffect';
export interface ReplayEffectInput extends ReplayRef {
  timeoutMs: number;
}
export type ReplayEffectResult = InvocationState;

export function replayWorkflowId(attemptId: string): string {
  return `replay/${attemptId}`;
}

const DESCRIPTION = descriptionOf({
  does:
    'One replay that a person asked for: sends a lost request once more under the same provider key, at most once, and settles it ' +
    'from the record.',
  standsStill:
    'It waits for a place and for a worker for a minute, and is given up then. Where it was terminated, the next read of the effect ' +
    'closes its attempt; ask for another replay through the API.',
});

/** Runs once for each replay that a person asked for. */
export function replayEffectStart(
  input: ReplayEffectInput,
  taskQueue: string,
  environmentName: string | null,
): Start<[ReplayEffectInput]> {
  const { attemptId, timeoutMs } = input;
  return {
    type: REPLAY_EFFECT_WORKFLOW,
    options: {
      workflowId: replayWorkflowId(attemptId),
      taskQueue,
      args: [{ ...effectRefOf(input), attemptId, timeoutMs }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      priority: priorityOf('invocation', input.workspaceId),
      staticSummary: summaryOf(`replay ${input.actionName}`, environmentName),
      staticDetails: DESCRIPTION,
      typedSearchAttributes: effectAttributes(
        { ...input, grade: 'unknown' },
        { environment: environmentName, stage: 'reconciling' },
      ),
    },
  };
}
