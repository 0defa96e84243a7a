import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { InFlightKind } from '../../domain/in-flight.ts';
import { TEMPORAL_CALL_TIMEOUT_MS } from '../../temporal/time-outs.ts';
import { waiterOf } from './waiter-of.ts';

/** Signals a workflow that it was granted a place. False where it has ended. Throws the client's error if Temporal cannot be reached. */
export async function tellWaiter(client: Client, kind: InFlightKind, holder: string): Promise<boolean> {
  const { workflowId, signal } = waiterOf(kind, holder);
  try {
    await client.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, () =>
      client.workflow.getHandle(workflowId).signal(signal),
    );
    return true;
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    return false;
  }
}
