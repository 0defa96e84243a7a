import { readFileSync, realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import type { Logger } from 'pino';
import { OwnEndpoints } from './activities/adapters/http-request/own-endpoints.ts';
import { lookupSlotsOf, resolveInTurn } from './activities/adapters/http-request/resolve-in-turn.ts';
import type { Resolve } from './activities/adapters/http-request/resolve.ts';
import { Watchdog } from './activities/adapters/watchdog.ts';
import type { Repeated } from './activities/repeat-until-stopped.ts';
import { ImportPlanner } from './api/threads/import-planner.ts';
import { type Api, type ApiOptions, createApi } from './api/create-api.ts';
import { type HttpLimits, HttpServer } from './api/http/http-server.ts';
import { TokenCounter } from './api/threads/token-counter.ts';
import { TenantSchemas } from './api/json-schema/tenant-schemas.ts';
import { BodyThreads } from './api/threads/body-threads.ts';
import type { DocsSettings } from './api/docs/docs-site.ts';
import type { NetworkSettings } from './api/http/every-request.ts';
import { LARGE_BODIES } from './api/http/bodies.ts';
import { Uploads } from './api/threads/uploads.ts';
import { Database } from './db/client.ts';
import type { LaneBell } from './db/announcements/lanes-ready.ts';
import { InvalidationHub } from './db/announcements/invalidation-hub.ts';
import { SettlementHub } from './db/announcements/settlement-hub.ts';
import { refuseUnsuitableDatabase } from './db/refuse-unsuitable-database.ts';
import { Vault } from './db/secrets/vault.ts';
import type { Configuration } from './domain/configuration/configuration.ts';
import { readConfiguration } from './domain/configuration/read-configuration.ts';
import type { EgressAllow } from './domain/egress.ts';
import type { Embedder } from './domain/embeddings/embedder.ts';
import { createFileStore, FILES_DIR_DEFAULT } from './activities/adapters/files/create-file-store.ts';
import type { FileStore } from './domain/files/file-store.ts';
import { FILE_UPLOADS } from './api/files/uploads.ts';
import type { InvocationRef } from './domain/refs.ts';
import { loggerOptions } from './domain/logging.ts';
import { configuredEndpoints } from './domain/own-endpoints.ts';
import { temporalUiOf } from './domain/temporal-ui.ts';
import { temporalConnectionOptions } from './domain/temporal-connection.ts';
import { connectOrSayWhy } from './process/connect-temporal.ts';
import { databaseSettingsOf } from './process/database-settings.ts';
import { watchEpoch } from './process/epoch-watch.ts';
import { collectWhenIdle } from './process/idle-collector.ts';
import { openForFigures } from './process/metrics/figure-reader.ts';
import { observedRequests } from './process/metrics/observe-requests.ts';
import { NO_METRICS, openMetrics, type ProcessMetrics } from './process/metrics/process-metrics.ts';
import { ofFilesFolder, ofHttpServer, ofPool, ofWatchdog, ofWorkers } from './process/metrics/sources.ts';
import { openTracing, type ProcessTracing, TRACING_OFF } from './process/tracing/open-tracing.ts';
import { tracedRequests } from './process/tracing/trace-requests.ts';
import { openEmbedder } from './process/open-embedder.ts';
import type * as InvocationModule from './process/invocation-worker.ts';
import { exitWithFailure, logWhatNodePrints, openLog } from './process/process-log.ts';
import { APPLICATION_NAME, chatsOf, httpLimitsOf, listenerOf, waysOut, watchesOf } from './process/api-surroundings.ts';
import { namespaceOptions } from './process/payload-sealing.ts';
import { stopSignal } from './process/stop-signal.ts';
import { TASK_QUEUE } from './temporal/task-queues.ts';

export interface ApiParts {
  databaseUrl: string;
  /** For the connection that LISTENs. */
  databaseListenUrl: string;
  databasePoolMax: number;
  requireSyncStandby: boolean;
  temporal: Client;
  vault: Pick<Vault, 'open' | 'seal' | 'digests' | 'sign' | 'verify' | 'keyDigests'>;
  /** The bytes of files. */
  files: FileStore;
  logger: Logger;
  /** True while a worker that shares the client's connection may begin what is started. */
  eagerStart: () => boolean;
  /** Set where a worker of this process sends what it admits. */
  runPlain?: (ref: InvocationRef) => Promise<boolean>;
  host: string;
  /** 0 picks a free port. */
  port: number;
  shutdownGraceMs: number;
  /** Addresses that a description may be fetched from although they are not public. */
  egressAllow: EgressAllow;
  /** The service's own listeners, which no description is fetched from. The API adds its own once it listens. */
  ownEndpoints: OwnEndpoints;
  /** Resolves the names of such addresses. One for a process. */
  resolve: Resolve;
  watchdog: Pick<Watchdog, 'run'>;
  network: NetworkSettings;
  /** Where Temporal’s web UI shows workflows, without the id. Null: the console has no links to it. */
  temporalUi?: string | null;
  /** The origin that links to our pages begin with; null: nobody said how the service is reached. */
  pagesUrl: string | null;
  /** Where the documentation is reached. */
  docs: DocsSettings;
  /** Schemes of apps that OAuth redirects may have, beside reversed domain names. */
  redirectSchemes: readonly string[];
  /** The publishable key, which browsers see; null when none is configured. */
  publishableKey: string | null;
  /** Where the chat systems are reached. */
  chats: { slackBaseUrl: string; discordBaseUrl: string };
  httpLimits: HttpLimits;
  /** Makes the vectors of texts. Its creator closes it. */
  embedder: Embedder;
  /** Set where a worker of this process claims messages. */
  laneBell?: LaneBell;
  /** False while the rest of the process is still being set up: the API is not ready until then. */
  isSetUp?: () => boolean;
  /** Left out: nothing is measured. */
  metrics?: ProcessMetrics;
  /** Left out: nothing is traced. */
  tracing?: ProcessTracing;
}

export interface RunningApi {
  port: number;
  /** Accepts no new request, lets the present ones finish, and closes what `startApi` opened. The client stays open. */
  stop(): Promise<void>;
}

/** Opens the database, wires the API and listens. Throws as `refuseUnsuitableDatabase` does. */
export async function startApi(parts: ApiParts): Promise<RunningApi> {
  const { logger, databaseUrl: url, databasePoolMax: poolMax } = parts;
  const hears = parts.laneBell?.hears;
  const { metrics = NO_METRICS, tracing = TRACING_OFF } = parts;
  const db = new Database({ url, poolMax, applicationName: APPLICATION_NAME, hears, tracing });
  const notifications = listenerOf(parts.databaseListenUrl, logger);
  const settlements = new SettlementHub(notifications);
  const invalidations = new InvalidationHub(notifications);
  const importPlanner = new ImportPlanner();
  const bodyThreads = new BodyThreads();
  const schemas = new TenantSchemas();
  const tokens = new TokenCounter();
  const { temporal, vault, eagerStart, embedder } = parts;
  const watches = watchesOf(temporal, logger);
  const api = createApi(
    {
      db,
      temporal,
      vault,
      resealing: vault,
      links: vault,
      files: parts.files,
      uploads: new Uploads(FILE_UPLOADS),
      largeBodies: new Uploads(LARGE_BODIES),
      bodyThreads,
      settlements,
      invalidations,
      notifications,
      logger,
      tracing,
      eagerStart,
      runPlain: parts.runPlain ?? null,
      taskQueue: TASK_QUEUE,
      ...watches,
      importPlanner,
      schemas,
      tokens,
      embedder,
      ...waysOut(parts),
      publicOrigins: parts.network.publicUrl === null ? [] : [parts.network.publicUrl],
      pagesUrl: parts.pagesUrl,
      redirectSchemes: parts.redirectSchemes,
      publishableKey: parts.publishableKey,
    },
    { ...optionsOf(parts, metrics), ...tracedRequests(tracing) },
  );
  const inBackground: Pick<Repeated, 'stop'>[] = [];
  const close = async (): Promise<void> => {
    api.close();
    await Promise.all(inBackground.map((one) => one.stop()));
    await Promise.all(Object.values(watches).map((watch) => watch.close()));
    for (const one of [importPlanner, settlements, invalidations]) one.close();
    await Promise.all([bodyThreads, schemas, tokens].map((one) => one.close()));
    await notifications.close();
    await db.close();
  };
  try {
    await refuseUnsuitableDatabase(db, parts.vault);
    inBackground.push(await watchEpoch(db, parts));
    await notifications.start();
    for (const watch of Object.values(watches)) watch.start();
    inBackground.push({ stop: metrics.readFigures(() => openForFigures(url)) });
    for (const source of [ofPool(db, 'api'), ofWorkers(watches.workerProcesses)]) metrics.watch(source);
    return await listen(parts, api, { settlements, invalidations }, close);
  } catch (error) {
    await close();
    throw error;
  }
}

function optionsOf({ network, docs, isSetUp, temporalUi = null }: ApiParts, metrics: ProcessMetrics): ApiOptions {
  return { network, docs, temporalUi, ...(isSetUp === undefined ? {} : { isSetUp }), ...observedRequests(metrics) };
}

async function listen(
  parts: ApiParts,
  api: Api,
  { settlements, invalidations }: { settlements: SettlementHub; invalidations: InvalidationHub },
  close: () => Promise<void>,
): Promise<RunningApi> {
  const { logger, host, httpLimits: limits, shutdownGraceMs } = parts;
  const { trustedProxies } = parts.network;
  const server = new HttpServer(api.callback, { limits, trustedProxies, logger });
  const port = await server.listen(parts.port, host);
  parts.ownEndpoints.add({ host, port });
  parts.metrics?.watch(ofHttpServer(server));
  logger.info({ port, host }, 'the API listens');
  return {
    port,
    stop: async () => {
      const drained = server.drain(shutdownGraceMs, () => settlements.close());
      settlements.endPolls();
      invalidations.stop();
      await drained;
      await close();
    },
  };
}

/** The connection to Temporal; and the start of a worker on it, where this process runs invocations. */
async function connect(configuration: Configuration<'api'>, invoking: typeof InvocationModule | null, logger: Logger) {
  const { TEMPORAL_ADDRESS: address } = configuration;
  const options = temporalConnectionOptions(address, configuration, (file) => readFileSync(file));
  if (invoking === null) {
    const connection = await connectOrSayWhy(options, () => Connection.connect(options));
    return { connection, startInvoking: null };
  }
  const connection = await invoking.connectForInvocations(options, logger, configuration.TEMPORAL_METRICS_ADDRESS);
  const startInvoking = (shared: InvocationModule.SharedParts) =>
    invoking.startInvocationWorker(connection, configuration, shared);
  return { connection, startInvoking };
}

async function main(): Promise<void> {
  const signal = stopSignal();
  const configuration = readConfiguration('api', process.env);
  // Temporal's native core takes tens of megabytes, so only a process that runs a worker loads it.
  const invoking = configuration.RUN_INVOCATIONS ? await import('./process/invocation-worker.ts') : null;
  const logger = openLog({
    ...loggerOptions(configuration.LOG_LEVEL, 'api'),
    ...(invoking && { mixin: invoking.mixin }),
  });
  logWhatNodePrints(logger);
  const { connection, startInvoking } = await connect(configuration, invoking, logger);
  const tracing = await openTracing('api', process.env, logger);
  const watchdog = new Watchdog({ logger, ...tracing.watch });
  const metrics = await openMetrics(configuration.METRICS_ADDRESS, logger);
  metrics.watch(ofWatchdog(watchdog));
  if (configuration.FILES === 'folder') metrics.watch(ofFilesFolder(configuration.FILES_DIR ?? FILES_DIR_DEFAULT));
  const sending = {
    egressAllow: configuration.EGRESS_ALLOW,
    ownEndpoints: new OwnEndpoints([...configuredEndpoints(configuration), ...metrics.endpoints, ...tracing.endpoints]),
    resolve: resolveInTurn(lookupSlotsOf(configuration.UV_THREADPOOL_SIZE)),
    watchdog,
  };
  const embedder = openEmbedder(configuration, sending);
  const shared = {
    ...databaseSettingsOf(configuration, configuration.DATABASE_URL),
    vault: Vault.fromMasterKeys(configuration.MASTER_KEYS),
    files: createFileStore(configuration, FILES_DIR_DEFAULT),
    logger,
    shutdownGraceMs: configuration.SHUTDOWN_GRACE_SECONDS * 1000,
    ...sending,
    metrics,
    tracing,
    embedder,
    pagesUrl: configuration.PUBLIC_URL,
    chats: chatsOf(configuration),
  };
  const worker = startInvoking === null ? null : await startInvoking(shared);
  const api = await startApi({
    ...shared,
    temporal: new Client({ connection, ...namespaceOptions(configuration) }),
    eagerStart: worker?.mayBegin ?? (() => false),
    ...(worker && { runPlain: worker.runPlain }),
    host: configuration.HOST,
    port: configuration.PORT,
    network: { publicUrl: configuration.PUBLIC_URL, trustedProxies: configuration.TRUSTED_PROXIES },
    docs: { site: configuration.DOCS_URL, base: configuration.DOCS_BASE },
    temporalUi: temporalUiOf(configuration.TEMPORAL_UI_URL, configuration.TEMPORAL_NAMESPACE),
    redirectSchemes: configuration.OAUTH_REDIRECT_SCHEMES,
    publishableKey: configuration.STRIPE_PUBLISHABLE_KEY,
    httpLimits: httpLimitsOf(configuration),
  });
  collectWhenIdle();
  const workerEnded = worker?.finished.then(() => 'the worker ended by itself');
  const reason = await Promise.race([signal, ...(workerEnded === undefined ? [] : [workerEnded])]);
  logger.info({ reason }, 'stopping');
  // The requests under way need the worker, and nobody waits for what goes on after them.
  await api.stop();
  await worker?.stop();
  await embedder.close();
  await connection.close();
  await metrics.close();
  await tracing.close();
  logger.info('stopped');
  // After the connection is closed, a call that the SDK would retry throws out of its timer. A stop while Temporal is away
  // would end with that error instead.
  process.exit(0);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  main().catch((error: unknown) => exitWithFailure('api', error));
}
