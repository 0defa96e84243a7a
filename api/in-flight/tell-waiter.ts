import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { InFlightKind } from '../../domain/in-flight.ts';
import { TEMPORAL_CALL_TIMEOUT_MS } from '../../temporal/time-outs.ts';
import { waiterOf } from './waiter-of.ts';

/** Notifies the next waiter that a permit is free. Throws the client's error if Temporal cannot be reached. */
export async function tellWaiter(client: Client, kind: InFlightKind, holder: string): Promise<void> {
  const { workflowId, signal } = waiterOf(kind, holder);
  try {
    await client.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, () =>
      client.workflow.getHandle(workflowId).signal(signal),
    );
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error; // it has ended: its position in the queue expires
  }
}
