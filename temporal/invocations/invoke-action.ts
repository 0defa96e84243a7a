import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import type { InvocationRef, InvocationState } from '../../domain/refs.ts';
import { searchAttributes } from '../search-attributes.ts';
import { descriptionOf, priorityOf, type Start, summaryOf } from '../start.ts';

/** The data that crosses the invocation workflow's boundary: ids and small facts, never inputs, credentials or responses. */
export const INVOKE_ACTION_WORKFLOW = 'invokeAction';
export type InvokeActionInput = InvocationRef;
/** Null when the admission was withdrawn before the workflow began. */
export type InvokeActionResult = InvocationState | null;

/** A signal to an invocation that waits for its dependencies: one of those effects is settled. */
export const DEPENDENCY_SETTLED_SIGNAL = 'dependencySettled';

export function invocationWorkflowId(invocationId: string): string {
  return `invocation/${invocationId}`;
}

const DESCRIPTION = descriptionOf({
  does:
    'One invocation of an action: evaluates it, waits for an approval or for other effects where it has to, sends the request at ' +
    'most once, and settles it from the record. The current details say what it waits for, or how it ended.',
  standsStill:
    '`Stage` `queued` with no worker on its task queue: start workers. `awaiting_approval`: people have to decide. Waiting for ' +
    'effects: look at the effects that are named. Queued behind other dispatches: its workspace has its calls in flight. It may be ' +
    'terminated or reset: the sweep starts it again, and nothing is sent twice.',
});

/** Shown and searchable in the Temporal UI. All are required: a restart of an invocation reads them from its row. */
export interface InvocationNames {
  environmentName: string | null;
  actionName: string;
  /** Kept in the memo: the request that was admitted. Null where it is not on record. */
  requestId: string | null;
}

/** A terminated or failed workflow runs again, safe by the fence; with `again` a completed one too. */
export function invokeActionStart(
  ref: InvokeActionInput,
  taskQueue: string,
  { actionName, environmentName, requestId }: InvocationNames,
  again = false,
): Start<[InvokeActionInput]> {
  const { invocationId, workspaceId, environmentId } = ref;
  const { ALLOW_DUPLICATE, ALLOW_DUPLICATE_FAILED_ONLY } = WorkflowIdReusePolicy;
  return {
    type: INVOKE_ACTION_WORKFLOW,
    options: {
      workflowId: invocationWorkflowId(invocationId),
      taskQueue,
      args: [{ invocationId, workspaceId, environmentId }],
      workflowIdReusePolicy: again ? ALLOW_DUPLICATE : ALLOW_DUPLICATE_FAILED_ONLY,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      priority: priorityOf('invocation', workspaceId),
      staticSummary: summaryOf(actionName, environmentName),
      staticDetails: DESCRIPTION,
      ...(requestId === null ? {} : { memo: { requestId } }),
      typedSearchAttributes: searchAttributes({
        workspaceId,
        environmentId,
        environment: environmentName,
        actionName,
        invocationId,
        stage: 'queued',
        grade: 'pending',
      }),
    },
  };
}
