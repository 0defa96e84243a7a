import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { MessageRef } from '../../domain/messages/messages.ts';
import { deliverMessageStart, messageWorkflowId, WAKE_SIGNAL } from '../../temporal/messages/deliver-message.ts';
import { resumeMessagesStart } from '../../temporal/messages/resume-messages.ts';
import { type StartMessagesInput, startMessagesStart } from '../../temporal/messages/start-messages.ts';
import { TASK_QUEUE } from '../../temporal/task-queues.ts';
import { TEMPORAL_CALL_TIMEOUT_MS } from '../../temporal/time-outs.ts';

export interface StartMessageOptions {
  environmentName: string | null;
  /** Shown in the Temporal UI. A process that wakes a message does not know it. */
  summary?: string;
  eager?: boolean;
  taskQueue?: string;
}

/**
 * Starts the workflow of an accepted message. One that runs is left alone, one that ended well stays ended. Throws what the
 * client throws where Temporal cannot be reached.
 */
export async function startMessageWorkflow(
  client: Client,
  ref: MessageRef,
  { environmentName, summary, eager = false, taskQueue = TASK_QUEUE }: StartMessageOptions,
): Promise<void> {
  const { type, options } = deliverMessageStart(ref, taskQueue, { environmentName, summary });
  const workflowIdConflictPolicy = WorkflowIdConflictPolicy.USE_EXISTING;
  await unlessEnded(() =>
    client.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, () =>
      client.workflow.start(type, { ...options, workflowIdConflictPolicy, requestEagerStart: eager }),
    ),
  );
}

/**
 * Signals the workflow of a message to look again, or starts it: also one that has completed, because a message may be parked in the
 * queue of its flow-control key. A message that has ended finds that out at once.
 */
export async function wakeMessageWorkflow(
  client: Client,
  ref: MessageRef,
  { environmentName, summary, taskQueue = TASK_QUEUE }: StartMessageOptions,
): Promise<void> {
  const { type, options } = deliverMessageStart(ref, taskQueue, { environmentName, summary, again: true });
  await client.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, () =>
    client.workflow.signalWithStart(type, { ...options, signal: WAKE_SIGNAL }),
  );
}

/**
 * The same for a message that was granted a permit while it queued. Nearly always it has no workflow yet, which is then started, and its
 * first task is run by the worker of this process; one that runs and waits is signalled.
 */
export async function beginMessageWorkflow(client: Client, ref: MessageRef, asked: StartMessageOptions): Promise<void> {
  const { environmentName, summary, taskQueue = TASK_QUEUE } = asked;
  const { type, options } = deliverMessageStart(ref, taskQueue, { environmentName, summary, again: true });
  try {
    await client.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, () =>
      client.workflow.start(type, { ...options, requestEagerStart: true }),
    );
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    await wakeMessageWorkflow(client, ref, asked);
  }
}

/** Signals the workflow of a cancelled message, so that it ends now. Without this it ends when the message would be due. */
export async function tellMessageWorkflow(client: Client, messageId: string): Promise<void> {
  try {
    await client.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, () =>
      client.workflow.getHandle(messageWorkflowId(messageId)).signal(WAKE_SIGNAL),
    );
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error; // it never began, or it has ended
  }
}

/**
 * Wakes what a halt has held, once the resumption is committed. Where this throws, the messages look again by themselves
 * within five minutes.
 */
export async function startResumeMessagesWorkflow(
  client: Client,
  environment: { workspaceId: string; environmentId: string },
  environmentName: string | null,
  taskQueue: string = TASK_QUEUE,
): Promise<void> {
  const { type, options } = resumeMessagesStart(environment, taskQueue, environmentName);
  await client.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, () => client.workflow.start(type, options));
}

/** Hands many accepted messages to a workflow that starts theirs: one call, however many they are. */
export async function startMessageWorkflows(
  client: Client,
  input: StartMessagesInput,
  environmentName: string | null,
  taskQueue: string = TASK_QUEUE,
): Promise<void> {
  const { type, options } = startMessagesStart(input, taskQueue, environmentName);
  await client.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, () => client.workflow.start(type, options));
}

async function unlessEnded(start: () => Promise<unknown>): Promise<void> {
  try {
    await start();
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error; // it ran to its end
  }
}
