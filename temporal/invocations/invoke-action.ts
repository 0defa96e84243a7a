import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import type { InvocationRef, InvocationState } from '../../domain/refs.ts';
import { searchAttributes } from '../search-attributes.ts';
import type { Start } from '../start.ts';

/** The data that crosses the invocation workflow's boundary: ids and small facts, never inputs, credentials or responses. */
export const INVOKE_ACTION_WORKFLOW = 'invokeAction';
export type InvokeActionInput = InvocationRef;
/** Null: the admission was withdrawn before the workflow began. */
export type InvokeActionResult = InvocationState | null;

/** A signal to an invocation that waits for its dependencies: one of those effects is settled. */
export const DEPENDENCY_SETTLED_SIGNAL = 'dependencySettled';

export function invocationWorkflowId(invocationId: string): string {
  return `invocation/${invocationId}`;
}

/** Shown and searchable in the Temporal UI. The sweep, which starts lost ones, does not know it. */
export interface InvocationNames {
  actionName?: string | undefined;
  environmentName?: string | undefined;
  /** Kept in the memo: the request that was admitted. */
  requestId?: string | undefined;
}

/**
 * A terminated or failed workflow is run again, which is safe: it finds the fence. `again` reruns a completed one too, which
 * had found its admission withdrawn.
 */
export function invokeActionStart(
  ref: InvokeActionInput,
  taskQueue: string,
  { actionName, environmentName, requestId }: InvocationNames = {},
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
      staticSummary: [actionName, environmentName].filter((part) => part !== undefined).join(' · ') || invocationId,
      ...(requestId === undefined ? {} : { memo: { requestId } }),
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
