import { type Client, WorkflowIdConflictPolicy } from '@temporalio/client';
import type { EmailRef } from '../../domain/notifications/emails.ts';
import { sendEmailStart } from '../../temporal/notifications/send-email.ts';
import { TASK_QUEUE } from '../../temporal/task-queues.ts';
import { TEMPORAL_CALL_TIMEOUT_MS } from '../../temporal/time-outs.ts';

/** Starts the sending of an e-mail, or leaves the running one. Throws what the client throws where Temporal cannot be reached. */
export async function startEmail(
  client: Client,
  ref: EmailRef,
  { environmentName, taskQueue = TASK_QUEUE }: { environmentName: string | null; taskQueue?: string },
): Promise<void> {
  const { type, options } = sendEmailStart(ref, taskQueue, environmentName);
  const workflowIdConflictPolicy = WorkflowIdConflictPolicy.USE_EXISTING;
  await client.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, () =>
    client.workflow.start(type, { ...options, workflowIdConflictPolicy }),
  );
}
