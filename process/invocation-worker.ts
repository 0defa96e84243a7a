import { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import { DEFAULT_SLOTS } from '../activities/create-worker.ts';
import { activityLogFields } from '../activities/log-context.ts';
import type { Configuration } from '../domain/configuration/configuration.ts';
import { PRODUCT } from '../domain/product.ts';
import type { InvocationRef } from '../domain/refs.ts';
import type { TemporalConnectionOptions } from '../domain/temporal-connection.ts';
import { namespaceOptions } from './payload-sealing.ts';
import { connectOrSayWhy } from './connect-temporal.ts';
import { type OpenWorker, openWorker, type OpenWorkerParts } from './open-worker.ts';
import { builtWorkflowBundle, installTemporalRuntime } from './temporal-runtime.ts';
import { inFlightCapsOf, providersOf } from './worker-settings.ts';

/** What pino adds to each line of such a process. */
export const mixin = activityLogFields;

/** What an API has already, and its worker shares. */
export type SharedParts = Pick<
  OpenWorkerParts,
  | 'databaseUrl'
  | 'databasePoolMax'
  | 'requireSyncStandby'
  | 'vault'
  | 'files'
  | 'egressAllow'
  | 'ownEndpoints'
  | 'resolve'
  | 'watchdog'
  | 'embedder'
  | 'chats'
  | 'pagesUrl'
  | 'logger'
  | 'metrics'
  | 'tracing'
  | 'shutdownGraceMs'
>;

export interface InvocationWorker {
  /** Ends when the worker has ended; rejects where it failed. */
  finished: Promise<void>;
  /** Runs a plain invocation without a workflow (`PlainInvocations.run`). */
  runPlain: (ref: InvocationRef) => Promise<boolean>;
  /** Whether a start may carry its first workflow task to this worker (`OwnVersion`). */
  mayBegin: () => boolean;
  /** Ends the plain invocations under way, then drains the worker, and closes its database. The connection stays open. */
  stop(): Promise<void>;
}

/** The connection that client and worker share: a start's reply then carries the first workflow task. Call it once in a process. */
export function connectForInvocations(
  options: TemporalConnectionOptions,
  logger: Logger,
  metricsAddress: string | null,
): Promise<NativeConnection> {
  installTemporalRuntime(logger, metricsAddress);
  return connectOrSayWhy(options, () => NativeConnection.connect(options));
}

/**
 * The worker of an API that runs invocations. It polls the queue of the workflows and nothing else: reads at providers, notifications and
 * maintenance are tasks of queues that worker processes poll. It claims no delivery, relays no event and sweeps nothing.
 */
export async function startInvocationWorker(
  connection: NativeConnection,
  configuration: Configuration<'api'>,
  shared: SharedParts,
): Promise<InvocationWorker> {
  const parts: OpenWorkerParts = {
    ...shared,
    connection,
    ...namespaceOptions(configuration),
    providers: providersOf(configuration),
    slots: { ...DEFAULT_SLOTS, dispatches: configuration.DISPATCH_SLOTS },
    inFlightCaps: inFlightCapsOf(configuration),
    heartbeatTimeoutMs: configuration.HEARTBEAT_TIMEOUT_SECONDS * 1000,
    workflowBundlePath: builtWorkflowBundle(),
    buildId: configuration.WORKER_BUILD_ID,
    // Worker processes send the e-mails and sweep.
    smtp: null,
  };
  const choices = { applicationName: `${PRODUCT.id}-api-worker`, mainQueueAlone: true } as const;
  const { db, worker, plain, version } = await openWorker(parts, choices);
  const finished = runToTheEnd(worker, async () => {
    await version.stop();
    await db.close();
  });
  // The caller that awaits it sees a failure. Until then it must not count as unhandled.
  finished.catch(() => undefined);
  return {
    finished,
    runPlain: plain.run,
    mayBegin: version.mayBegin,
    stop: async () => {
      await plain.stop();
      worker.shutdown();
      await finished;
    },
  };
}

async function runToTheEnd(worker: OpenWorker['worker'], close: () => Promise<void>): Promise<void> {
  try {
    await worker.run();
  } finally {
    await close();
  }
}
