import { type Client, WorkflowIdConflictPolicy } from '@temporalio/client';
import type { EventRef } from '../../domain/events/events.ts';
import { fanOutEventStart } from '../../temporal/events/fan-out-event.ts';
import { TASK_QUEUE } from '../../temporal/task-queues.ts';
import { TEMPORAL_CALL_TIMEOUT_MS } from '../../temporal/time-outs.ts';

/** Starts the fan-out of an event, or leaves the running one. Throws what the client throws where Temporal cannot be reached. */
export async function startFanOut(
  client: Client,
  ref: EventRef,
  { environmentName, taskQueue = TASK_QUEUE }: { environmentName: string | null; taskQueue?: string },
): Promise<void> {
  const { type, options } = fanOutEventStart(ref, taskQueue, environmentName);
  const workflowIdConflictPolicy = WorkflowIdConflictPolicy.USE_EXISTING;
  await client.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, () =>
    client.workflow.start(type, { ...options, workflowIdConflictPolicy }),
  );
}
