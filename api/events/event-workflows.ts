import { type Client, WorkflowIdConflictPolicy } from '@temporalio/client';
import type { EventRecord } from '../../db/events/event-records.ts';
import type { EventRef } from '../../domain/events/events.ts';
import { fanOutEventStart } from '../../temporal/events/fan-out-event.ts';
import { TASK_QUEUE } from '../../temporal/task-queues.ts';
import { TEMPORAL_CALL_TIMEOUT_MS } from '../../temporal/time-outs.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { Caller } from '../http/define-route.ts';

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

/** Starts the fan-outs of events that are committed and not fanned out. One that is not started here is found by the sweep. */
export async function startFanOutOf(
  { temporal, taskQueue }: Pick<ApiDependencies, 'temporal' | 'taskQueue'>,
  { tenant: { workspaceId, environmentId }, environment }: Caller,
  events: readonly Pick<EventRecord, 'id' | 'status'>[],
): Promise<void> {
  const started = { environmentName: environment.name, taskQueue };
  const waiting = events.filter(({ status }) => status === 'fanning_out');
  await Promise.all(
    waiting.map(({ id: eventId }) => startFanOut(temporal, { eventId, workspaceId, environmentId }, started)),
  );
}
