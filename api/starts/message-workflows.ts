import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { MessageRef } from '../../domain/messages/messages.ts';
import type { FiringRef } from '../../domain/schedules/schedules.ts';
import { deliverMessageStart, messageWorkflowId, WAKE_SIGNAL } from '../../temporal/messages/deliver-message.ts';
import { fireScheduleStart } from '../../temporal/schedules/fire-schedule.ts';
import { PACE_SIGNAL, paceMessagesStart } from '../../temporal/messages/pace-messages.ts';
import { TASK_QUEUE } from '../../temporal/task-queues.ts';
import { TEMPORAL_CALL_TIMEOUT_MS } from '../../temporal/time-outs.ts';
import { signalOrStart, startOnce } from './start-workflow.ts';

export interface MessageStartOptions {
  environmentName: string | null;
  taskQueue?: string;
}

/** Starts the workflow of a message that waits for its time, or has a running one look again. */
export async function wakeMessageWorkflow(
  client: Client,
  ref: MessageRef,
  { environmentName, taskQueue = TASK_QUEUE }: MessageStartOptions,
): Promise<void> {
  await signalOrStart(client, deliverMessageStart(ref, taskQueue, environmentName), WAKE_SIGNAL);
}

/** Has the workflow of a message look again, where one runs: the message was cancelled, or an attempt ended. */
export async function tellMessageWorkflow(client: Client, messageId: string): Promise<void> {
  try {
    await client.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, () =>
      client.workflow.getHandle(messageWorkflowId(messageId)).signal(WAKE_SIGNAL),
    );
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error; // it never began, or it has ended
  }
}

/** Starts a run of a schedule that is queued, or has waited for a message to end. A running one is left alone: it reads the row. */
export async function startFiring(
  client: Client,
  firing: FiringRef,
  { environmentName, taskQueue = TASK_QUEUE }: MessageStartOptions,
): Promise<void> {
  await startOnce(client, fireScheduleStart(firing, taskQueue, environmentName));
}

/** Starts the pacer of an environment's scheduled messages, or tells a running one that the time of its look came forward. */
export async function paceMessagesWorkflow(
  client: Client,
  environment: { workspaceId: string; environmentId: string },
  { environmentName, taskQueue = TASK_QUEUE }: MessageStartOptions,
): Promise<void> {
  await signalOrStart(client, paceMessagesStart(environment, taskQueue, environmentName), PACE_SIGNAL);
}
