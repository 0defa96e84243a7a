import type { Client } from '@temporalio/client';
import { hasGrpcCode, NOT_FOUND } from '../../temporal/grpc-error.ts';
import { WORKER_DEPLOYMENT } from '../../temporal/worker-deployment.ts';

/** From the Protobuf definitions of Temporal's API. */
const STATES = ['unspecified', 'inactive', 'current', 'ramping', 'draining', 'drained', 'created'] as const;

export interface DeployedVersion {
  buildId: string;
  /** `drained`: no open workflow needs its workers. `created`: it has polled, and was never given work. */
  state: (typeof STATES)[number];
  createdAt: Date | null;
  /** When it was the current one for the last time. */
  lastCurrentAt: Date | null;
}

export interface Deployment {
  /** Is null while workers without a build id take everything. */
  currentBuildId: string | null;
  rampingBuildId: string | null;
  rampPercentage: number;
  /** Newest first. */
  versions: readonly DeployedVersion[];
  /** With it a change is refused where another one was faster. */
  conflictToken: Uint8Array;
}

interface Timestamp {
  seconds?: unknown;
}

/** Returns null before a first worker with a build id polls. */
export async function readDeployment(client: Client): Promise<Deployment | null> {
  try {
    const { workerDeploymentInfo: info, conflictToken } = await client.workflowService.describeWorkerDeployment({
      namespace: client.options.namespace,
      deploymentName: WORKER_DEPLOYMENT,
    });
    const routing = info?.routingConfig;
    const versions = (info?.versionSummaries ?? []).map((summary) => ({
      buildId: summary.deploymentVersion?.buildId ?? '',
      state: STATES[summary.status ?? 0] ?? 'unspecified',
      createdAt: dateOf(summary.createTime),
      lastCurrentAt: dateOf(summary.lastCurrentTime),
    }));
    return {
      currentBuildId: routing?.currentDeploymentVersion?.buildId ?? null,
      rampingBuildId: routing?.rampingDeploymentVersion?.buildId ?? null,
      rampPercentage: routing?.rampingVersionPercentage ?? 0,
      versions: versions.toSorted((a, b) => Number(b.createdAt) - Number(a.createdAt)),
      conflictToken,
    };
  } catch (error) {
    if (hasGrpcCode(error, NOT_FOUND)) return null;
    throw error;
  }
}

/** Throws as Temporal does: where none of its workers polls, or a queue of the version before has none. */
export async function setCurrent(client: Client, buildId: string, { conflictToken }: Deployment): Promise<void> {
  await client.workflowService.setWorkerDeploymentCurrentVersion({ ...named(client), buildId, conflictToken });
}

/** A percentage of 0 ends the ramp. Throws as Temporal does. */
export async function setRamp(
  client: Client,
  buildId: string,
  percentage: number,
  { conflictToken }: Deployment,
): Promise<void> {
  await client.workflowService.setWorkerDeploymentRampingVersion({
    ...named(client),
    buildId: percentage === 0 ? '' : buildId,
    percentage,
    conflictToken,
  });
}

/** Throws as Temporal does: where workers of it polled in the last minutes, or it has open workflows. */
export async function deleteVersion(client: Client, buildId: string): Promise<void> {
  const { namespace, identity } = named(client);
  const deploymentVersion = { deploymentName: WORKER_DEPLOYMENT, buildId };
  await client.workflowService.deleteWorkerDeploymentVersion({ namespace, identity, deploymentVersion });
}

function named(client: Client) {
  return {
    namespace: client.options.namespace,
    identity: client.options.identity ?? '',
    deploymentName: WORKER_DEPLOYMENT,
  };
}

function dateOf(time: Timestamp | null | undefined): Date | null {
  return time === null || time === undefined ? null : new Date(Number(time.seconds ?? 0) * 1_000);
}
