import type { Client } from '@temporalio/client';
import {
  invocationWorkflowId,
  type InvocationNames,
  type InvokeActionInput,
  type InvokeActionResult,
  invokeActionStart,
} from '../../temporal/invocations/invoke-action.ts';
import { TASK_QUEUE } from '../../temporal/task-queues.ts';
import { TEMPORAL_CALL_TIMEOUT_MS } from '../../temporal/time-outs.ts';
import { startOnce, startWorkflow } from '../starts/start-workflow.ts';

export interface StartInvocationOptions extends InvocationNames {
  eager: boolean;
  /** The record has not ended, whatever Temporal says of its workflow: one that ran to its end was ahead of a restored database (docs/ha.md). */
  isOpen?: boolean;
  taskQueue?: string;
}

/**
 * Starts an admitted invocation's workflow, or continues a running one. A terminated or failed one runs again safely: it finds the fence.
 * So does one that found its admission withdrawn: the preview's next use admits the same id. Throws the client's error when Temporal cannot
 * be reached.
 */
export async function startInvocationWorkflow(
  client: Client,
  ref: InvokeActionInput,
  { eager, isOpen = false, taskQueue = TASK_QUEUE, ...names }: StartInvocationOptions,
): Promise<void> {
  if (isOpen) return startWorkflow(client, invokeActionStart(ref, taskQueue, names, true), { eager });
  if (await startOnce(client, invokeActionStart(ref, taskQueue, names), { eager })) return;
  if (!(await foundItWithdrawn(client, ref))) return; // it ran to its end
  await startWorkflow(client, invokeActionStart(ref, taskQueue, names, true), { eager });
}

async function foundItWithdrawn(client: Client, { invocationId }: InvokeActionInput): Promise<boolean> {
  const handle = client.workflow.getHandle<(ref: InvokeActionInput) => Promise<InvokeActionResult>>(
    invocationWorkflowId(invocationId),
  );
  const result = await client.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, () => handle.result());
  return result === null;
}
