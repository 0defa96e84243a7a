import { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { NativeConnection } from '@temporalio/worker';
import { createWorker, type WorkerGroup, type WorkerSettings, type WorkerSlots } from '../activities/create-worker.ts';
import { createActivities } from '../activities/index.ts';
import { PlainInvocations } from '../activities/invocations/plain-invocations.ts';
import { Database, type DatabaseOptions } from '../db/client.ts';
import { refuseUnsuitableDatabase } from '../db/refuse-unsuitable-database.ts';
import type { Vault } from '../db/secrets/vault.ts';
import { activityQueue, TASK_QUEUE } from '../temporal/task-queues.ts';
import { WORKER_DEPLOYMENT } from '../temporal/worker-deployment.ts';
import { type OwnVersion, watchOwnVersion } from './deployments/own-version.ts';
import { beginEpoch } from './epoch-watch.ts';
import { ofPool, ofSending } from './metrics/sources.ts';
import { TRACING_OFF } from './tracing/open-tracing.ts';
import { tracedActivities, tracedPlain } from './tracing/trace-activities.ts';
import { type DependencyParts, workerDependencies } from './worker-dependencies.ts';

export interface OpenWorkerParts extends DependencyParts {
  databaseUrl: string;
  databasePoolMax: number;
  /** Nothing is sent unless a synchronous standby has its claim. */
  requireSyncStandby: boolean;
  connection: NativeConnection;
  namespace: string;
  /** `sealedPayloads`. */
  dataConverter?: DataConverter;
  vault: Pick<Vault, 'open' | 'seal' | 'digests' | 'keyDigests'>;
  /** How many activities of each queue run at once in this process. */
  slots: WorkerSlots;
  /** The file that `npm run build` makes of workflows/index.ts. */
  workflowBundlePath: string;
  shutdownGraceMs: number;
  /** The version of the Worker Deployment; null: without versions. */
  buildId: string | null;
}

type Choices = Pick<DatabaseOptions, 'applicationName' | 'hears'> & Pick<WorkerSettings, 'mainQueueAlone'>;

/** A worker that does not poll yet, and what it works with. */
export interface OpenWorker {
  /** Its own pool. Who runs the worker closes it. */
  db: Database;
  client: Client;
  deps: ReturnType<typeof workerDependencies>;
  worker: WorkerGroup;
  plain: Pick<PlainInvocations, 'run' | 'stop'>;
  version: OwnVersion;
}

/** Opens a database and makes a worker over it. Throws as `refuseUnsuitableDatabase` does; the database is closed then. */
export async function openWorker(parts: OpenWorkerParts, { mainQueueAlone, ...choices }: Choices): Promise<OpenWorker> {
  const { connection, namespace, dataConverter } = parts;
  const temporal = { connection, namespace, ...(dataConverter === undefined ? {} : { dataConverter }) };
  const { databaseUrl: url, databasePoolMax: poolMax, requireSyncStandby, tracing = TRACING_OFF } = parts;
  const db = new Database({ url, poolMax, requireSyncStandby, tracing, ...choices });
  tracing.useDatabase(db);
  try {
    await refuseUnsuitableDatabase(db, parts.vault);
    await beginEpoch(db, parts);
    const client = new Client(temporal);
    const deps = workerDependencies(parts, db, client);
    for (const source of [ofPool(db, 'worker'), ofSending(parts)]) parts.metrics.watch(source);
    const { workflowBundlePath, shutdownGraceMs, slots, heartbeatTimeoutMs, buildId } = parts;
    const worker = await createWorker({
      ...temporal,
      taskQueue: TASK_QUEUE,
      activityQueue,
      slots,
      heartbeatTimeoutMs,
      workflowBundlePath,
      activities: tracedActivities(tracing, db, createActivities(deps)),
      shutdownGraceMs,
      version: buildId === null ? null : { deploymentName: WORKER_DEPLOYMENT, buildId },
      ...(mainQueueAlone === undefined ? {} : { mainQueueAlone }),
    });
    const version = watchOwnVersion(client, buildId, parts.logger);
    return { db, client, deps, worker, plain: tracedPlain(tracing, new PlainInvocations(deps)), version };
  } catch (error) {
    await db.close();
    throw error;
  }
}
