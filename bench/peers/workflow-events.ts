import { setTimeout as delay } from 'node:timers/promises';
import { Client, type Connection } from '@temporalio/client';

const LOOK_MS = 250;
/** The visibility store follows the histories, and a workflow may end after its caller has the answer. */
const WAIT_MS = 10_000;

/**
 * The events in the histories of the workflows whose ids end with one of `ids`. Waits until all that are found have
 * ended, and until there are as many as expected or the wait is over: a side may have none.
 */
export async function countEventsOf(
  connection: Connection,
  ids: ReadonlySet<string>,
  expected: number,
): Promise<number> {
  const client = new Client({ connection, namespace: 'default' });
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const found = { workflows: 0, running: 0, events: 0 };
    for await (const { workflowId, status, historyLength } of client.workflow.list()) {
      if (!ids.has(workflowId.slice(workflowId.lastIndexOf('/') + 1))) continue;
      found.workflows += 1;
      found.running += status.name === 'RUNNING' ? 1 : 0;
      found.events += historyLength;
    }
    const isWhole = found.workflows === expected && found.running === 0;
    if (isWhole || performance.now() > deadline) return found.events;
    await delay(LOOK_MS);
  }
}
