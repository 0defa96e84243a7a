import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, type LogEntry } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createWorker, type WorkerGroup, type WorkerSlots } from './activities/create-worker.ts';
import { createActivities } from './activities/index.ts';
import { createFileStore, FILES_DIR_DEFAULT } from './activities/adapters/files/create-file-store.ts';
import { createChatClient } from './activities/adapters/chat/chat-client.ts';
import { createSmtpMailer } from './activities/adapters/mail/smtp-mailer.ts';
import { createAdapters, createSender } from './activities/adapters/index.ts';
import { OwnEndpoints } from './activities/adapters/http-request/own-endpoints.ts';
import { lookupSlotsOf, resolveInTurn } from './activities/adapters/http-request/resolve-in-turn.ts';
import type { Resolve } from './activities/adapters/http-request/resolve.ts';
import { activityLogFields } from './activities/log-context.ts';
import { keepRelaying } from './activities/events/relay-events.ts';
import { LaneBell, tenantOfLanes } from './db/announcements/lanes-ready.ts';
import { CHANNELS, NotificationListener } from './db/announcements/notification-listener.ts';
import type { DeliveryDependencies } from './activities/messages/attempt-settler.ts';
import { DeliveryClaimer } from './activities/messages/delivery-claimer.ts';
import { PlainInvocations } from './activities/invocations/plain-invocations.ts';
import { keepPlaces } from './activities/in-flight/keep-places.ts';
import { CallSlots } from './activities/call-slots.ts';
import { LaneTakers } from './activities/lane-takers.ts';
import type { Repeated } from './activities/repeat-until-stopped.ts';
import { Watchdog } from './activities/adapters/watchdog.ts';
import { serveMetrics } from './api/health/serve-metrics.ts';
import { serveWorkerHealth, type WorkerHealth } from './api/health/serve-worker-health.ts';
import { tellWaiter } from './api/in-flight/tell-waiter.ts';
import { workflowStarters } from './api/workflow-starters.ts';
import { Database } from './db/client.ts';
import { refuseUnsuitableDatabase } from './db/refuse-unsuitable-database.ts';
import { Vault } from './db/secrets/vault.ts';
import { readConfiguration } from './domain/configuration/read-configuration.ts';
import type { EgressAllow } from './domain/egress.ts';
import type { Embedder } from './domain/embeddings/embedder.ts';
import type { FileStore } from './domain/files/file-store.ts';
import { type SmtpSettings, smtpSettingsOf } from './domain/notifications/smtp-settings.ts';
import type { InvocationRef } from './domain/refs.ts';
import { idsOfWorkflow } from './domain/touched-ids.ts';
import type { InFlightCaps, InFlightKind } from './domain/in-flight.ts';
import { loggerOptions } from './domain/logging.ts';
import { configuredEndpoints } from './domain/own-endpoints.ts';
import { temporalConnectionOptions } from './domain/temporal-connection.ts';
import { collectWhenIdle } from './process/idle-collector.ts';
import { openEmbedder } from './process/open-embedder.ts';
import { fairSharesOf, providersOf } from './process/worker-settings.ts';
import { exitWithFailure, logWhatNodePrints, openLog } from './process/process-log.ts';
import { ensureSweepSchedule } from './process/sweep-schedule.ts';
import { PRODUCT } from './domain/product.ts';
import { activityQueue, TASK_QUEUE } from './temporal/task-queues.ts';
import { billingParts } from './domain/billing/billing-parts.ts';
import { Gauges } from './domain/gauges.ts';

const APPLICATION_NAME = `${PRODUCT.id}-worker`;
/** How often a process tells Temporal that its workers are alive, which is how the API sees them (api/health/worker-watch.ts). */
const HEARTBEAT_INTERVAL_MS = 5_000;

export interface WorkerParts {
  databaseUrl: string;
  databasePoolMax: number;
  connection: NativeConnection;
  namespace: string;
  vault: Pick<Vault, 'open' | 'seal' | 'digests' | 'keyDigests'>;
  /** The bytes of files. */
  files: FileStore;
  /** Addresses and CIDRs that the egress guard allows. */
  egressAllow: EgressAllow;
  /** The service's own listeners, which nothing calls. */
  ownEndpoints: OwnEndpoints;
  /** Resolves the names of tenants' destinations. One for a process. */
  resolve: Resolve;
  watchdog: Watchdog;
  /** Makes the vectors of texts. Its creator closes it. */
  /** Figures of this process, which its metrics show. */
  gauges: Gauges;
  embedder: Embedder;
  /** The base URLs of the built-in adapters' providers. */
  providers: { stripeBaseUrl: string; resendBaseUrl: string };
  /** Where the chat systems are reached. */
  chats: { slackBaseUrl: string; discordBaseUrl: string };
  /** The mail server of notifications; null: none. */
  smtp: SmtpSettings | null;
  /** The origin that links to our pages begin with; null: nobody said how the service is reached. */
  pagesUrl: string | null;
  /** How many activities of each queue run at once in this process. */
  slots: WorkerSlots;
  /** The maximum number of calls of a kind that a workspace has in flight. */
  inFlightCaps: InFlightCaps;
  /** After this time without a heartbeat a dispatch counts as lost. */
  heartbeatTimeoutMs: number;
  /** The file that `npm run build` makes of workflows/index.ts. */
  workflowBundlePath: string;
  logger: Logger;
  shutdownGraceMs: number;
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

/** Routes the SDK's logs to ours, and leaves signals to us. Call it once, before the first NativeConnection. */
export function installTemporalRuntime(logger: Logger): void {
  const write = (entry: LogEntry): void => {
    const level = entry.level.toLowerCase();
    const log = level === 'trace' || level === 'debug' || level === 'warn' || level === 'error' ? level : 'info';
    const workflowId: unknown = entry.meta?.['workflowId'];
    const ids = typeof workflowId === 'string' ? idsOfWorkflow(workflowId) : {};
    logger[log]({ ...entry.meta, ...ids }, entry.message);
  };
  Runtime.install({
    workerHeartbeatInterval: HEARTBEAT_INTERVAL_MS,
    logger: new DefaultLogger('DEBUG', write),
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
    shutdownSignals: [],
  });
}

/** Opens the database, wires the activities and polls. Throws as `refuseUnsuitableDatabase` does. */
export async function startWorker(parts: WorkerParts): Promise<RunningWorker> {
  const { logger, connection, namespace, egressAllow, ownEndpoints, resolve } = parts;
  const bell = parts.laneBell ?? new LaneBell();
  const db = new Database({
    url: parts.databaseUrl,
    poolMax: parts.databasePoolMax,
    applicationName: APPLICATION_NAME,
    hears: bell.hears,
  });
  try {
    await refuseUnsuitableDatabase(db, parts.vault);
    const client = new Client({ connection, namespace });
    const sending = { egressAllow, ownEndpoints, resolve };
    const starters = workflowStarters(client, db, TASK_QUEUE);
    const places = {
      db,
      tellWaiter: (kind: InFlightKind, holder: string) => tellWaiter(client, kind, holder),
      inFlightCaps: parts.inFlightCaps,
      laneTakers: new LaneTakers(),
      logger,
    };
    const deps = {
      ...places,
      dispatchSlots: new CallSlots(parts.slots.dispatches),
      vault: parts.vault,
      files: parts.files,
      adapterFor: createAdapters({ ...sending, ...parts.providers }),
      ...starters,
      sendRequest: createSender(sending),
      chat: createChatClient({ ...sending, watchdog: parts.watchdog, ...parts.chats }),
      mailer: parts.smtp === null ? null : createSmtpMailer(parts.smtp),
      ...billingParts(parts),
      pagesUrl: parts.pagesUrl,
      heartbeatTimeoutMs: parts.heartbeatTimeoutMs,
      watchdog: parts.watchdog,
      embedder: parts.embedder,
    };
    const { workflowBundlePath, shutdownGraceMs, slots, heartbeatTimeoutMs } = parts;
    const worker = await createWorker({
      connection,
      namespace,
      taskQueue: TASK_QUEUE,
      activityQueue,
      slots,
      heartbeatTimeoutMs,
      workflowBundlePath,
      activities: createActivities(deps),
      shutdownGraceMs,
    });
    await ensureSweepSchedule(client);
    const plain = new PlainInvocations(deps);
    const claiming = await claimDeliveries(parts, deps, bell);
    const finished = runToTheEnd(worker, () => db.close(), [
      keepPlaces(places),
      claiming,
      keepRelaying({ db, logger, vault: parts.vault, pagesUrl: parts.pagesUrl, ...starters }),
    ]);
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
    await db.close();
    throw error;
  }
}

/** Claims messages until stopped. Where the API is another process, its notifications are listened for, as are those of other workers. */
async function claimDeliveries(parts: WorkerParts, deps: DeliveryDependencies, bell: LaneBell): Promise<Repeated> {
  const { databaseUrl: url, logger, slots, shutdownGraceMs } = parts;
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

/** The bundle beside the compiled worker.js. Throws where the project was not built. */
export function builtWorkflowBundle(): string {
  const file = path.join(path.dirname(fileURLToPath(import.meta.url)), 'workflow-bundle.js');
  if (existsSync(file)) return file;
  throw new Error(
    'The workflow bundle is missing. Run "npm run build", and start the worker with "node dist/worker.js".',
  );
}

async function main(): Promise<void> {
  const configuration = readConfiguration('worker', process.env);
  const logger = openLog({ ...loggerOptions(configuration.LOG_LEVEL, 'worker'), mixin: activityLogFields });
  logWhatNodePrints(logger);
  installTemporalRuntime(logger);
  const connection = await NativeConnection.connect(
    temporalConnectionOptions(configuration.TEMPORAL_ADDRESS, configuration, (file) => readFileSync(file)),
  );
  const watchdog = new Watchdog({ logger });
  const gauges = new Gauges();
  const metrics = await serveMetrics(configuration.METRICS_ADDRESS, () => [...watchdog.metrics(), ...gauges.metrics()]);
  let started: RunningWorker | null = null;
  const health = await serveWorkerHealth(configuration.HEALTH_ADDRESS, () => started?.health() ?? null);
  const sending = {
    egressAllow: configuration.EGRESS_ALLOW,
    ownEndpoints: new OwnEndpoints([...configuredEndpoints(configuration), ...metrics.endpoints, ...health.endpoints]),
    resolve: resolveInTurn(lookupSlotsOf(configuration.UV_THREADPOOL_SIZE)),
    watchdog,
  };
  const embedder = openEmbedder(configuration, sending);
  const worker = await startWorker({
    databaseUrl: configuration.DATABASE_URL,
    databasePoolMax: configuration.DATABASE_POOL_MAX,
    connection,
    namespace: configuration.TEMPORAL_NAMESPACE,
    vault: Vault.fromMasterKeys(configuration.MASTER_KEYS),
    ...sending,
    gauges,
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
    logger,
    shutdownGraceMs: configuration.SHUTDOWN_GRACE_SECONDS * 1000,
  });
  started = worker;
  logger.info({ taskQueue: TASK_QUEUE }, 'the worker polls');
  collectWhenIdle();
  const signal = new Promise<string>((resolve) => void process.once('SIGTERM', resolve).once('SIGINT', resolve));
  const reason = await Promise.race([signal, worker.finished.then(() => 'the worker ended by itself')]);
  logger.info({ reason }, 'stopping');
  await worker.stop();
  await embedder.close();
  await connection.close();
  await health.close();
  await metrics.close();
  logger.info('stopped');
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  main().catch((error: unknown) => exitWithFailure('worker', error));
}
