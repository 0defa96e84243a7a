import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { MessageRef } from '../../domain/messages/messages.ts';
import { deliverMessageStart, messageWorkflowId, WAKE_SIGNAL } from '../../temporal/messages/deliver-message.ts';
import { PACE_SIGNAL, paceMessagesStart } from '../../temporal/messages/pace-messages.ts';
import { resumeMessagesStart } from '../../temporal/messages/resume-messages.ts';
import { type StartMessagesInput, startMessagesStart } from '../../temporal/messages/start-messages.ts';
import { TASK_QUEUE } from '../../temporal/task-queues.ts';
import { TEMPORAL_CALL_TIMEOUT_MS } from '../../temporal/time-outs.ts';
import { signalOrStart, startOnce, startWorkflow } from './start-workflow.ts';

export interface WakeMessageOptions {
  environmentName: string | null;
  taskQueue?: string;
}

export interface StartMessageOptions extends WakeMessageOptions {
  eager?: boolean;
  /**
   * For a message that was granted a permit while it queued. It nearly always has no workflow yet. A running workflow is signalled, and a
   * completed one is run again. Otherwise a running one is left alone, and a completed one stays ended.
   */
  again?: boolean;
}

/** Starts the workflow of an accepted message. Throws what the client throws where Temporal cannot be reached. */
export async function startMessageWorkflow(
  client: Client,
  ref: MessageRef,
  { eager = false, again = false, ...asked }: StartMessageOptions,
): Promise<void> {
  const { environmentName, taskQueue = TASK_QUEUE } = asked;
  const start = deliverMessageStart(ref, taskQueue, { environmentName, again });
  const started = await startOnce(client, start, { eager });
  if (!started && again) await wakeMessageWorkflow(client, ref, asked);
}

/**
 * Signals the workflow of a message to look again, or starts it: also one that has completed, because a message may be parked in the
 * queue of its flow-control key. A message that has ended finds that out at once.
 */
export async function wakeMessageWorkflow(
  client: Client,
  ref: MessageRef,
  { environmentName, taskQueue = TASK_QUEUE }: WakeMessageOptions,
): Promise<void> {
  const start = deliverMessageStart(ref, taskQueue, { environmentName, again: true });
  await signalOrStart(client, start, WAKE_SIGNAL);
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
 * Wakes the messages that a halt has held, once the resumption is committed. If this throws, the sweep does it within two minutes.
 * `replaces` as in `resumeMessagesStart`.
 */
export async function startResumeMessagesWorkflow(
  client: Client,
  environment: { workspaceId: string; environmentId: string },
  { environmentName, taskQueue = TASK_QUEUE, replaces = true }: WakeMessageOptions & { replaces?: boolean },
): Promise<void> {
  const start = resumeMessagesStart(environment, taskQueue, environmentName, replaces);
  // A start that replaces the running workflow is not refused because of it: an error is an error.
  await (replaces ? startWorkflow(client, start) : startOnce(client, start));
}

/** Starts the pacer of an environment's scheduled messages, or tells a running one that the time of its look came forward. */
export async function paceMessagesWorkflow(
  client: Client,
  environment: { workspaceId: string; environmentId: string },
  { environmentName, taskQueue = TASK_QUEUE }: WakeMessageOptions,
): Promise<void> {
  await signalOrStart(client, paceMessagesStart(environment, taskQueue, environmentName), PACE_SIGNAL);
}

/** Hands many accepted messages to a workflow that starts theirs: one call, however many they are. */
export async function startMessageWorkflows(
  client: Client,
  input: StartMessagesInput,
  environmentName: string | null,
  taskQueue: string = TASK_QUEUE,
): Promise<void> {
  await startWorkflow(client, startMessagesStart(input, taskQueue, environmentName));
}
