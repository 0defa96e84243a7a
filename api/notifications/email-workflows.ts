import type { Client } from '@temporalio/client';
import type { EmailRef } from '../../domain/notifications/emails.ts';
import { sendEmailStart } from '../../temporal/notifications/send-email.ts';
import { TASK_QUEUE } from '../../temporal/task-queues.ts';
import { startWorkflow } from '../starts/start-workflow.ts';

/** Starts the sending of an e-mail, unless it runs. Throws the client's error when Temporal cannot be reached. */
export async function startEmail(
  client: Client,
  ref: EmailRef,
  { environmentName, taskQueue = TASK_QUEUE }: { environmentName: string | null; taskQueue?: string },
): Promise<void> {
  await startWorkflow(client, sendEmailStart(ref, taskQueue, environmentName));
}
