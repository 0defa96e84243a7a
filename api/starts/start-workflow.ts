import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { Start } from '../../temporal/start.ts';
import { TEMPORAL_CALL_TIMEOUT_MS } from '../../temporal/time-outs.ts';

/** How the API calls Temporal with a start of temporal/: for seconds at most. Each function throws the client's error where Temporal cannot be reached. */

/** Starts a workflow, as its start function says; `eager`: on a worker of this process, where it has one. */
export async function startWorkflow(
  client: Client,
  { type, options }: Start,
  { eager = false }: { eager?: boolean } = {},
): Promise<void> {
  await client.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, () =>
    client.workflow.start(type, { ...options, args: [...options.args], requestEagerStart: eager }),
  );
}

/** The same, but false where Temporal refuses because of the workflow that has the id: one that runs, or one that ran to its end. */
export async function startOnce(client: Client, start: Start, options?: { eager?: boolean }): Promise<boolean> {
  try {
    await startWorkflow(client, start, options);
    return true;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return false;
  }
}

/** Signals the workflow, or starts it where none runs. One that ran to its end stays ended, unless its start says otherwise. */
export async function signalOrStart(client: Client, { type, options }: Start, signal: string): Promise<void> {
  try {
    await client.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, () =>
      client.workflow.signalWithStart(type, { ...options, args: [...options.args], signal }),
    );
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
