import type { Client } from '@temporalio/client';
import { WORKER_DEPLOYMENT } from '../../temporal/worker-deployment.ts';

/** Workflows that are changed at once. */
const PARALLEL = 20;
/** Visibility lags behind the histories. A workflow that a round did not see is seen by the next. */
const QUIET_ROUNDS = 2;
const ROUND_PAUSE_MS = 1_000;
/** From the Protobuf definitions of Temporal's API. */
const PINNED = 1;
const NOT_FOUND = 5;

/** Where an override sends the tasks of workflows: to one version, or to the current one. */
export type Target = { pinnedTo: string } | 'current';

export async function countOpen(client: Client, buildId: string): Promise<number> {
  return (await client.workflow.count(ofVersion(buildId))).count;
}

/**
 * Sends the open workflows of a version elsewhere, until two rounds in turn find no further one: it has to take no new work. Returns how
 * many there were.
 */
export async function sendEveryOpen(client: Client, buildId: string, target: Target): Promise<number> {
  const sent = new Set<string>();
  for (let quiet = 0; quiet < QUIET_ROUNDS;) {
    const before = sent.size;
    await sendOpen(client, buildId, target, sent);
    quiet = sent.size === before ? quiet + 1 : 0;
    if (quiet < QUIET_ROUNDS) await new Promise((resolve) => setTimeout(resolve, ROUND_PAUSE_MS));
  }
  return sent.size;
}

/** One round. Leaves out the runs of `sent`, and adds to them. */
export async function sendOpen(client: Client, buildId: string, target: Target, sent: Set<string>): Promise<void> {
  let batch: Promise<unknown>[] = [];
  for await (const { workflowId, runId } of client.workflow.list({ query: ofVersion(buildId) })) {
    if (sent.has(runId)) continue;
    sent.add(runId);
    batch.push(override(client, { workflowId, runId }, target));
    if (batch.length < PARALLEL) continue;
    await Promise.all(batch);
    batch = [];
  }
  await Promise.all(batch);
}

/** The version that the last task of a workflow ran on. */
function ofVersion(buildId: string): string {
  return `ExecutionStatus = 'Running' AND TemporalWorkerDeploymentVersion = '${WORKER_DEPLOYMENT}:${buildId}'`;
}

async function override(
  client: Client,
  workflowExecution: { workflowId: string; runId: string },
  target: Target,
): Promise<void> {
  const versioningOverride =
    target === 'current'
      ? { autoUpgrade: true }
      : { pinned: { behavior: PINNED, version: { deploymentName: WORKER_DEPLOYMENT, buildId: target.pinnedTo } } };
  try {
    await client.workflowService.updateWorkflowExecutionOptions({
      namespace: client.options.namespace,
      workflowExecution,
      workflowExecutionOptions: { versioningOverride },
      updateMask: { paths: ['versioning_override'] },
    });
  } catch (error) {
    // It has ended since it was listed.
    if (!(error instanceof Error && 'code' in error && error.code === NOT_FOUND)) throw error;
  }
}
