import { readFileSync, realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { NativeConnection } from '@temporalio/worker';
import type { WorkerGroup } from './activities/create-worker.ts';
import { createFileStore, FILES_DIR_DEFAULT } from './activities/adapters/files/create-file-store.ts';
import { OwnEndpoints } from './activities/adapters/http-request/own-endpoints.ts';
import { lookupSlotsOf, resolveInTurn } from './activities/adapters/http-request/resolve-in-turn.ts';
import { activityLogFields } from './activities/log-context.ts';
import { keepRelaying, WOKEN_INTERVAL_MS } from './activities/events/relay-events.ts';
import { LaneBell, tenantOfLanes } from './db/announcements/lanes-ready.ts';
import { CHANNELS, NotificationListener } from './db/announcements/notification-listener.ts';
import type { DeliveryDependencies } from './activities/messages/attempt-settler.ts';
import { DeliveryClaimer } from './activities/messages/delivery-claimer.ts';
import { keepPlaces } from './activities/in-flight/keep-places.ts';
import type { Repeated, Woken } from './activities/repeat-until-stopped.ts';
import { Watchdog } from './activities/adapters/watchdog.ts';
import { serveWorkerHealth, type WorkerHealth } from './api/health/serve-worker-health.ts';
import { Vault } from './db/secrets/vault.ts';
import { readConfiguration } from './domain/configuration/read-configuration.ts';
import { smtpSettingsOf } from './domain/notifications/smtp-settings.ts';
import type { InvocationRef } from './domain/refs.ts';
import { loggerOptions } from './domain/logging.ts';
import { configuredEndpoints } from './domain/own-endpoints.ts';
import { temporalConnectionOptions } from './domain/temporal-connection.ts';
import { connectOrSayWhy } from './process/connect-temporal.ts';
import { databaseSettingsOf } from './process/database-settings.ts';
import { watchEpoch } from './process/epoch-watch.ts';
import { collectWhenIdle } from './process/idle-collector.ts';
import { openForFigures } from './process/metrics/figure-reader.ts';
import { openMetrics } from './process/metrics/process-metrics.ts';
import { ofFilesFolder, ofWatchdog } from './process/metrics/sources.ts';
import { openTracing } from './process/tracing/open-tracing.ts';
import { openEmbedder } from './process/open-embedder.ts';
import { fairSharesOf, providersOf } from './process/worker-settings.ts';
import { exitWithFailure, logWhatNodePrints, openLog } from './process/process-log.ts';
import { ensureSweepSchedule } from './process/sweep-schedule.ts';
import { builtWorkflowBundle, installTemporalRuntime } from './process/temporal-runtime.ts';
import { openWorker, type OpenWorkerParts } from './process/open-worker.ts';
import { PRODUCT } from './domain/product.ts';
import { namespaceOptions } from './process/payload-sealing.ts';
import { stopSignal } from './process/stop-signal.ts';
import { TASK_QUEUE } from './temporal/task-queues.ts';

const APPLICATION_NAME = `${PRODUCT.id}-worker`;

/** What is told of the changes that raise most platform events. A relay that nobody wakes looks by itself. */
const RAISING = [CHANNELS.invocationSettled, CHANNELS.approvalChanged, CHANNELS.recordChanged] as const;

export interface WorkerParts extends OpenWorkerParts {
  /** For the connection that LISTENs. */
  databaseListenUrl: string;
  /** Set where the API is in this process; otherwise its notifications are listened for. */
  laneBell?: LaneBell;
}

export interface RunningWorker {
  /** Ends when the worker has ended; rejects where it failed. */
  finished: Promise<void>;
  /** Runs a plain invocation without a workflow, for an API in the same process (`PlainInvocations.run`). */
  runPlain: (ref: InvocationRef) => Promise<boolean>;
  /** What its health port tells. */
  health(): WorkerHealth;
  /** Accepts no new task, drains the present ones, and closes what `startWorker` opened. The connection stays open. */
  stop(): Promise<void>;
}

/** Opens the database, wires the activities and polls. Throws as `refuseUnsuitableDatabase` does. */
export async function startWorker(parts: WorkerParts): Promise<RunningWorker> {
  const { logger } = parts;
  const bell = parts.laneBell ?? new LaneBell();
  const { db, client, deps, worker, plain, version } = await openWorker(parts, {
    applicationName: APPLICATION_NAME,
    hears: bell.hears,
  });
  const keepers: Repeated[] = [];
  try {
    keepers.push(await watchEpoch(db, parts));
    await ensureSweepSchedule(client);
    const relaying = keepRelaying(deps, parts.laneBell === undefined ? { intervalMs: WOKEN_INTERVAL_MS } : {});
    keepers.push(relaying);
    const claiming = await claimDeliveries(parts, deps, bell, relaying);
    keepers.push(claiming, keepPlaces(deps), version, {
      stop: parts.metrics.readFigures(() => openForFigures(parts.databaseUrl)),
    });
    const finished = runToTheEnd(worker, () => db.close(), keepers);
    // The caller that awaits it sees a failure. Until then it must not count as unhandled.
    finished.catch(() => undefined);
    return {
      finished,
      runPlain: plain.run,
      health: () => ({ dependencies: { db, temporal: client, logger }, isPolling: () => worker.isPolling() }),
      stop: async () => {
        await plain.stop();
        worker.shutdown();
        await Promise.all([claiming.stop(), finished]);
      },
    };
  } catch (error) {
    await Promise.all(keepers.map((keeper) => keeper.stop()));
    await db.close();
    throw error;
  }
}

/**
 * Claims messages until stopped. Where the API is another process, its notifications are listened for, as are those of other workers; they
 * wake the relay too.
 */
async function claimDeliveries(
  parts: WorkerParts,
  deps: DeliveryDependencies,
  bell: LaneBell,
  relaying: Woken,
): Promise<Repeated> {
  const { databaseListenUrl: url, logger, slots, shutdownGraceMs } = parts;
  const claimer = new DeliveryClaimer(deps, { slots: slots.deliveries, shutdownGraceMs });
  bell.answerWith((tenant) => claimer.wake(tenant));
  if (parts.laneBell !== undefined) return claimer.run();
  const listener = new NotificationListener({
    url,
    applicationName: `${APPLICATION_NAME}-listen`,
    onError: (error, context) =>
      logger.warn({ ...context, message: error.message }, 'the notification connection is away'),
  });
  listener.listen(CHANNELS.lanesReady, (payload) => claimer.wake(tenantOfLanes(payload)));
  for (const channel of RAISING) listener.listen(channel, relaying.wake);
  await listener.start();
  const claiming = claimer.run();
  return {
    stop: async () => {
      await Promise.all([claiming.stop(), listener.close()]);
    },
  };
}

async function runToTheEnd(
  worker: WorkerGroup,
  close: () => Promise<unknown>,
  keepers: readonly Repeated[],
): Promise<void> {
  try {
    await worker.run();
  } finally {
    await Promise.all(keepers.map((keeper) => keeper.stop()));
    await close();
  }
}

async function main(): Promise<void> {
  const signal = stopSignal();
  const configuration = readConfiguration('worker', process.env);
  const logger = openLog({ ...loggerOptions(configuration.LOG_LEVEL, 'worker'), mixin: activityLogFields });
  logWhatNodePrints(logger);
  installTemporalRuntime(logger, configuration.TEMPORAL_METRICS_ADDRESS);
  const { TEMPORAL_ADDRESS: address } = configuration;
  const options = temporalConnectionOptions(address, configuration, (file) => readFileSync(file));
  const connection = await connectOrSayWhy(options, () => NativeConnection.connect(options));
  const tracing = await openTracing('worker', process.env, logger);
  const watchdog = new Watchdog({ logger, ...tracing.watch });
  const metrics = await openMetrics(configuration.METRICS_ADDRESS, logger);
  metrics.watch(ofWatchdog(watchdog));
  if (configuration.FILES === 'folder') metrics.watch(ofFilesFolder(configuration.FILES_DIR ?? FILES_DIR_DEFAULT));
  let started: RunningWorker | null = null;
  const health = await serveWorkerHealth(configuration.HEALTH_ADDRESS, () => started?.health() ?? null);
  const sending = {
    egressAllow: configuration.EGRESS_ALLOW,
    ownEndpoints: new OwnEndpoints([
      ...configuredEndpoints(configuration),
      ...metrics.endpoints,
      ...tracing.endpoints,
      ...health.endpoints,
    ]),
    resolve: resolveInTurn(lookupSlotsOf(configuration.UV_THREADPOOL_SIZE)),
    watchdog,
  };
  const embedder = openEmbedder(configuration, sending);
  const worker = await startWorker({
    ...databaseSettingsOf(configuration, configuration.DATABASE_URL),
    connection,
    ...namespaceOptions(configuration),
    vault: Vault.fromMasterKeys(configuration.MASTER_KEYS),
    ...sending,
    metrics,
    tracing,
    embedder,
    files: createFileStore(configuration, FILES_DIR_DEFAULT),
    providers: providersOf(configuration),
    chats: {
      slackBaseUrl: configuration.SLACK_API_BASE_URL,
      discordBaseUrl: configuration.DISCORD_API_BASE_URL,
    },
    smtp: smtpSettingsOf(configuration),
    pagesUrl: configuration.PUBLIC_URL,
    ...fairSharesOf(configuration),
    heartbeatTimeoutMs: configuration.HEARTBEAT_TIMEOUT_SECONDS * 1000,
    workflowBundlePath: builtWorkflowBundle(),
    buildId: configuration.WORKER_BUILD_ID,
    logger,
    shutdownGraceMs: configuration.SHUTDOWN_GRACE_SECONDS * 1000,
  });
  started = worker;
  logger.info({ taskQueue: TASK_QUEUE }, 'the worker polls');
  collectWhenIdle();
  const reason = await Promise.race([signal, worker.finished.then(() => 'the worker ended by itself')]);
  logger.info({ reason }, 'stopping');
  await worker.stop();
  await embedder.close();
  await connection.close();
  await health.close();
  await metrics.close();
  await tracing.close();
  logger.info('stopped');
  // An exporter whose collector does not answer would hold the process until its own time-out.
  process.exit(0);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  main().catch((error: unknown) => exitWithFailure('worker', error));
}
