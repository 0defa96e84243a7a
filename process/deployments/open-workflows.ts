import type { Client } from '@temporalio/client';
import { hasGrpcCode, NOT_FOUND } from '../../temporal/grpc-error.ts';
import { WORKER_DEPLOYMENT } from '../../temporal/worker-deployment.ts';

/** Workflows that are changed at once. */
const PARALLEL = 20;
/** Visibility lags behind the histories. A workflow that a round did not see is seen by the next. */
const QUIET_ROUNDS = 2;
const ROUND_PAUSE_MS = 1_000;
/** From the Protobuf definitions of Temporal's API. */
const PINNED = 1;

export interface Execution {
  workflowId: string;
  runId: string;
}

export const OPTIONS_MASK = { paths: ['versioning_override'] };

/** Between two rounds: visibility lags behind the histories. */
export const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, ROUND_PAUSE_MS));

export async function countOpen(client: Client, buildId: string): Promise<number> {
  return (await client.workflow.count(ofVersion(buildId))).count;
}

/**
 * Sends the open workflows of a version to the current one, until two rounds in turn find no further one: it has to take no new work.
 * Returns how many there were.
 */
export async function sendEveryOpen(client: Client, buildId: string): Promise<number> {
  const sent = new Set<string>();
  for (let quiet = 0; quiet < QUIET_ROUNDS;) {
    const before = sent.size;
    await listOpen(client, buildId, null, async (execution) => {
      if (sent.has(execution.runId)) return;
      sent.add(execution.runId);
      await overrideOptions(client, execution, { autoUpgrade: true });
    });
    quiet = sent.size === before ? quiet + 1 : 0;
    if (quiet < QUIET_ROUNDS) await pause();
  }
  return sent.size;
}

/** Calls for each open workflow of a version, some at a time. Returns how many there were. */
export async function listOpen(
  client: Client,
  buildId: string,
  condition: string | null,
  each: (execution: Execution) => Promise<void>,
): Promise<number> {
  const query = condition === null ? ofVersion(buildId) : `${ofVersion(buildId)} AND ${condition}`;
  let count = 0;
  let batch: Promise<unknown>[] = [];
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    count += 1;
    batch.push(each({ workflowId, runId }));
    if (batch.length < PARALLEL) continue;
    await Promise.all(batch);
    batch = [];
  }
  await Promise.all(batch);
  return count;
}

/** The version that the last task of a workflow ran on, or that it is pinned to. */
function ofVersion(buildId: string): string {
  return `ExecutionStatus = 'Running' AND TemporalWorkerDeploymentVersion = '${WORKER_DEPLOYMENT}:${buildId}'`;
}

/** Sends all tasks of a workflow to one version. */
export function pinnedTo(buildId: string) {
  return { pinned: { behavior: PINNED, version: { deploymentName: WORKER_DEPLOYMENT, buildId } } };
}

export async function overrideOptions(
  client: Client,
  workflowExecution: Execution,
  versioningOverride: ReturnType<typeof pinnedTo> | { autoUpgrade: true },
): Promise<void> {
  await unlessEnded(async () => {
    await client.workflowService.updateWorkflowExecutionOptions({
      namespace: client.options.namespace,
      workflowExecution,
      workflowExecutionOptions: { versioningOverride },
      updateMask: OPTIONS_MASK,
    });
  });
}

/** Passes over a workflow that has ended since it was listed. */
export async function unlessEnded(change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!hasGrpcCode(error, NOT_FOUND)) throw error;
  }
}
