import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
} from '@temporalio/client';
import {
  INVOKE_ACTION_WORKFLOW,
  type InvokeActionInput,
  type InvokeActionResult,
  invocationWorkflowId,
} from '../../workflows/invocations/messages.ts';
import { SEARCH_ATTRIBUTES, TASK_QUEUE } from '../../workflows/search-attributes.ts';

export interface StartOptions {
  /** What the Temporal UI shows and finds it by; the sweep, which restarts lost ones, does not know it. */
  actionName?: string;
  environmentName?: string;
  eager: boolean;
  taskQueue?: string;
}

/** An API request does not hang on a Temporal that is away. */
const START_TIMEOUT_MS = 5_000;

/**
 * Starts the workflow of an admitted invocation. One that runs is left alone; one that was terminated or failed is run again,
 * which is safe: it finds the fence. So is one that found its admission withdrawn: an id that a preview reserved is admitted
 * again by whoever uses the preview next. Throws what the client throws where Temporal cannot be reached.
 */
export async function startInvocationWorkflow(
  client: Client,
  ref: InvokeActionInput,
  options: StartOptions,
): Promise<void> {
  try {
    await start(client, ref, options, WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    if (!(await foundItWithdrawn(client, ref))) return; // it ran to its end
    await start(client, ref, options, WorkflowIdReusePolicy.ALLOW_DUPLICATE);
  }
}

async function foundItWithdrawn(client: Client, { invocationId }: InvokeActionInput): Promise<boolean> {
  const handle = client.workflow.getHandle<(ref: InvokeActionInput) => Promise<InvokeActionResult>>(
    invocationWorkflowId(invocationId),
  );
  const result = await client.withDeadline(Date.now() + START_TIMEOUT_MS, () => handle.result());
  return result === null;
}

async function start(
  client: Client,
  ref: InvokeActionInput,
  options: StartOptions,
  workflowIdReusePolicy: WorkflowIdReusePolicy,
): Promise<void> {
  const { actionName, environmentName } = options;
  await client.withDeadline(Date.now() + START_TIMEOUT_MS, () =>
    client.workflow.start(INVOKE_ACTION_WORKFLOW, {
      workflowId: invocationWorkflowId(ref.invocationId),
      taskQueue: options.taskQueue ?? TASK_QUEUE,
      args: [{ invocationId: ref.invocationId, workspaceId: ref.workspaceId, environmentId: ref.environmentId }],
      workflowIdReusePolicy,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      requestEagerStart: options.eager,
      staticSummary: [actionName, environmentName].filter((part) => part !== undefined).join(' · ') || ref.invocationId,
      typedSearchAttributes: [
        { key: SEARCH_ATTRIBUTES.workspaceId, value: ref.workspaceId },
        { key: SEARCH_ATTRIBUTES.environmentId, value: ref.environmentId },
        { key: SEARCH_ATTRIBUTES.invocationId, value: ref.invocationId },
        { key: SEARCH_ATTRIBUTES.stage, value: 'queued' },
        { key: SEARCH_ATTRIBUTES.grade, value: 'pending' },
        ...(environmentName === undefined ? [] : [{ key: SEARCH_ATTRIBUTES.environment, value: environmentName }]),
        ...(actionName === undefined ? [] : [{ key: SEARCH_ATTRIBUTES.actionName, value: actionName }]),
      ],
    }),
  );
}
