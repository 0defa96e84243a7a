import type { Client } from '@temporalio/client';
import { inBatches } from '../../domain/batches-of.ts';
import type { EventRecord } from '../../db/events/events.ts';
import type { EventRef } from '../../domain/events/events.ts';
import { fanOutEventStart } from '../../temporal/events/fan-out-event.ts';
import { TASK_QUEUE } from '../../temporal/task-queues.ts';
import { startWorkflow } from './start-workflow.ts';
import type { Tenant } from '../../db/client.ts';

/** Starts the fan-out of an event, or leaves the running one. Throws what the client throws where Temporal cannot be reached. */
export async function startFanOut(
  client: Client,
  ref: EventRef,
  { environmentName, taskQueue = TASK_QUEUE }: { environmentName: string | null; taskQueue?: string },
): Promise<void> {
  await startWorkflow(client, fanOutEventStart(ref, taskQueue, environmentName));
}

/** A batch of a thousand events must not have as many calls under way. */
const STARTS_AT_ONCE = 10;

/** Starts the fan-outs of events that are committed and not fanned out. One that is not started here is found by the sweep. */
export async function startFanOutOf(
  { temporal, taskQueue }: { temporal: Client; taskQueue: string },
  { tenant: { workspaceId, environmentId }, environment }: { tenant: Tenant; environment: { name: string } },
  events: readonly Pick<EventRecord, 'id' | 'status'>[],
): Promise<void> {
  const started = { environmentName: environment.name, taskQueue };
  const waiting = events.filter(({ status }) => status === 'fanning_out');
  // The first that fails ends it: what is left is the sweep's.
  await inBatches(waiting, STARTS_AT_ONCE, ({ id: eventId }) =>
    startFanOut(temporal, { eventId, workspaceId, environmentId }, started),
  );
}
