import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import { OwnEndpoints } from '../activities/adapters/http-request/own-endpoints.ts';
import { lookupSlotsOf, resolveInTurn } from '../activities/adapters/http-request/resolve-in-turn.ts';
import { Watchdog } from '../activities/adapters/watchdog.ts';
import { Vault } from '../db/secrets/vault.ts';
import type { Configuration } from '../domain/configuration/configuration.ts';
import { smtpSettingsOf } from '../domain/notifications/smtp-settings.ts';
import { configuredEndpoints } from '../domain/own-endpoints.ts';
import { temporalUiOf } from '../domain/temporal-ui.ts';
import { temporalConnectionOptions } from '../domain/temporal-connection.ts';
import { PRODUCT } from '../domain/product.ts';
import { LaneBell } from '../db/announcements/lanes-ready.ts';
import { createFileStore } from '../activities/adapters/files/create-file-store.ts';
import { httpLimitsOf } from '../process/api-surroundings.ts';
import { startApi } from '../server.ts';
import { type RunningWorker, startWorker, type WorkerParts } from '../worker.ts';
import { type Credentials, ensureCredentials, keyOf } from './credentials.ts';
import type { DataFolder } from './data-folder.ts';
import { prepareDatabase, type PreparedDatabase } from './database.ts';
import { type DemoTarget, ensureDemo, startDemoTarget } from './demo.ts';
import { embeddingModelLookup } from '../process/embedding-model.ts';
import { fetchEmbeddingModel } from './fetch-embedding-model.ts';
import { openMetrics } from '../process/metrics/process-metrics.ts';
import { ofFilesFolder, ofWatchdog } from '../process/metrics/sources.ts';
import { openTracing } from '../process/tracing/open-tracing.ts';
import { openEmbedder } from '../process/open-embedder.ts';
import { LOOPBACK } from './ports.ts';
import { timed } from './progress.ts';
import { projectRoot } from '../process/project-root.ts';
import { reachableHost, reachedBy } from './reached-by.ts';
import { registerSearchAttributes } from './search-attributes.ts';
import { StartError } from './start-error.ts';
import { Stops } from './stops.ts';
import { installTemporalRuntime } from '../process/temporal-runtime.ts';
import { databaseSettingsOf } from '../process/database-settings.ts';
import { fairSharesOf, providersOf } from '../process/worker-settings.ts';
import { namespaceOptions } from '../process/payload-sealing.ts';
import { refuseTakenPorts } from './taken-ports.ts';
import { findTemporalCli } from './temporal-binary.ts';
import { type RunningTemporal, startTemporal } from './temporal.ts';
import { withDatabase } from './with-database.ts';

type EmbeddedConfiguration = Configuration<'embedded'>;

export interface Stack {
  credentials: Credentials;
  /** Resolves with a reason when a part of the stack has ended without being stopped. */
  failed: Promise<string>;
  /** Stops API, worker, Temporal and PostgreSQL, in this order. */
  stop(): Promise<void>;
}

/** Starts every part that the configuration does not place elsewhere. If one fails to start, the started ones are stopped. */
export async function startStack(
  configuration: EmbeddedConfiguration,
  folder: DataFolder,
  logger: Logger,
): Promise<Stack> {
  const stops = new Stops();
  try {
    return await start(configuration, folder, logger, stops);
  } catch (error) {
    await stops.run();
    throw error;
  }
}

async function start(
  configuration: EmbeddedConfiguration,
  folder: DataFolder,
  logger: Logger,
  stops: Stops,
): Promise<Stack> {
  await refuseTakenPorts(portsToTake(configuration));
  const step = existsSync(folder.postgresDir)
    ? 'Starting the databases and Temporal'
    : 'Making the databases (once, some 10 s), and starting them with Temporal';
  const { database, temporal, demoTarget } = await timed(step, () => startServers(configuration, folder, stops));
  console.error('Starting the API and the worker …');
  installTemporalRuntime(logger, configuration.TEMPORAL_METRICS_ADDRESS);
  const address = temporal?.address ?? configuration.TEMPORAL_ADDRESS ?? '';
  const connection = await connect(address, configuration, temporal === null);
  stops.add(() => connection.close());

  const vault = Vault.fromMasterKeys(configuration.MASTER_KEYS ?? folder.masterKeys());
  const shared = {
    laneBell: new LaneBell(),
    ...databaseSettingsOf(configuration, database.applicationUrl),
    vault,
    files: createFileStore(configuration, folder.file('files')),
    logger,
    ...reachedBy(configuration),
    ...(await outwardCalls(configuration, { database, temporal, address, folder }, logger, stops)),
    shutdownGraceMs: configuration.SHUTDOWN_GRACE_SECONDS * 1000,
    ...fairSharesOf(configuration),
    heartbeatTimeoutMs: configuration.HEARTBEAT_TIMEOUT_SECONDS * 1000,
  };
  const worker = await startWorker({
    ...shared,
    connection,
    ...namespaceOptions(configuration),
    providers: providersOf(configuration),
    smtp: smtpSettingsOf(configuration),
    workflowBundlePath: path.join(projectRoot(), 'dist', 'workflow-bundle.js'),
    buildId: null,
  });
  stops.add(() => worker.stop());
  let isSetUp = false;
  const api = await startApi({
    isSetUp: () => isSetUp,
    ...shared,
    temporalUi: temporalUiOf(
      temporal === null ? configuration.TEMPORAL_UI_URL : `http://${LOOPBACK}:${temporal.uiPort}`,
      configuration.TEMPORAL_NAMESPACE,
    ),
    // One connection for client and worker: a start's reply then carries the first workflow task (eager start).
    temporal: new Client({ connection, ...namespaceOptions(configuration) }),
    eagerStart: () => true,
    runPlain: worker.runPlain,
    host: configuration.HOST,
    port: configuration.PORT,
    httpLimits: httpLimitsOf(configuration),
  });
  stops.add(() => api.stop());

  const servers = { database, temporal, demoTarget, address };
  const credentials = await setUp(configuration, folder, servers, vault, api.port);
  isSetUp = true;
  const failed = firstToEnd(folder, database, temporal, worker);
  return { credentials, failed, stop: () => stops.run() };
}

/** The outbound calls that API and worker share. */
async function outwardCalls(
  configuration: EmbeddedConfiguration,
  servers: { database: PreparedDatabase; temporal: RunningTemporal | null; address: string; folder: DataFolder },
  logger: Logger,
  stops: Stops,
): Promise<
  Pick<WorkerParts, 'watchdog' | 'metrics' | 'tracing' | 'egressAllow' | 'ownEndpoints' | 'resolve' | 'embedder'>
> {
  const tracing = await openTracing('embedded', process.env, logger);
  stops.add(() => tracing.close());
  const watchdog = new Watchdog({ logger, ...tracing.watch });
  const metrics = await openMetrics(configuration.METRICS_ADDRESS, logger);
  stops.add(() => metrics.close());
  const { database, temporal, address, folder } = servers;
  metrics.watch(ofWatchdog(watchdog));
  if (configuration.FILES === 'folder') metrics.watch(ofFilesFolder(configuration.FILES_DIR ?? folder.file('files')));
  const ports = temporal?.ports ?? [];
  const ownEndpoints = new OwnEndpoints([
    ...configuredEndpoints({
      ...configuration,
      DATABASE_URL: database.applicationUrl,
      TEMPORAL_ADDRESS: address,
    }),
    ...ports.map((port) => ({ host: LOOPBACK, port })),
    ...metrics.endpoints,
    ...tracing.endpoints,
  ]);
  const resolve = resolveInTurn(lookupSlotsOf(configuration.UV_THREADPOOL_SIZE));
  const sending = { watchdog, metrics, tracing, egressAllow: configuration.EGRESS_ALLOW, ownEndpoints, resolve };
  const embedder = openEmbedder(configuration, sending);
  stops.add(() => embedder.close());
  return { ...sending, embedder };
}

/** The reason to report when a first part ends by itself. */
function firstToEnd(
  folder: DataFolder,
  database: PreparedDatabase,
  temporal: RunningTemporal | null,
  worker: RunningWorker,
): Promise<string> {
  return Promise.race([
    ended(database.server?.exited, `PostgreSQL ended. See ${folder.file('postgres/postgres.log')}.`),
    ended(temporal?.exited, `The Temporal dev server ended. See ${folder.file('temporal.log')}.`),
    worker.finished.then(
      () => 'The worker ended.',
      (error: unknown) => `The worker failed: ${error instanceof Error ? error.message : String(error)}.`,
    ),
  ]);
}

function portsToTake(configuration: EmbeddedConfiguration): Parameters<typeof refuseTakenPorts>[0] {
  return [
    { variable: 'PORT', host: configuration.HOST, port: configuration.PORT },
    ...(configuration.DATABASE_URL === null
      ? [{ variable: 'POSTGRES_PORT', host: LOOPBACK, port: configuration.POSTGRES_PORT }]
      : []),
    ...(configuration.TEMPORAL_ADDRESS === null
      ? [
          { variable: 'TEMPORAL_PORT', host: LOOPBACK, port: configuration.TEMPORAL_PORT },
          { variable: 'TEMPORAL_UI_PORT', host: LOOPBACK, port: configuration.TEMPORAL_UI_PORT },
        ]
      : []),
  ];
}

interface Servers {
  database: PreparedDatabase;
  temporal: RunningTemporal | null;
  demoTarget: DemoTarget;
}

/** Runs before anything is served. Without the model, only requests that need embeddings fail, with 503. */
async function fetchModel(configuration: EmbeddedConfiguration): Promise<void> {
  if (configuration.EMBEDDINGS !== 'local') return;
  const missing = await fetchEmbeddingModel(embeddingModelLookup(configuration.EMBEDDINGS_MODEL_PATH));
  if (missing !== null) console.error(`Memory has no embeddings until \`npm run memory:model\` succeeds: ${missing}`);
}

/** Starts all at once, because none needs another. The demo's target stops after the worker: it may be answering the worker's last call. */
async function startServers(configuration: EmbeddedConfiguration, folder: DataFolder, stops: Stops): Promise<Servers> {
  const [database, temporal, demoTarget] = await Promise.allSettled([
    prepareDatabase(configuration, folder),
    configuration.TEMPORAL_ADDRESS === null ? startDevServer(configuration, folder) : null,
    startDemoTarget(folder),
    fetchModel(configuration),
  ]);
  if (database.status === 'fulfilled') stops.add(async () => database.value.server?.stop());
  if (temporal.status === 'fulfilled') stops.add(async () => temporal.value?.stop());
  if (demoTarget.status === 'fulfilled') stops.add(() => demoTarget.value.stop());
  if (database.status === 'rejected') throw database.reason;
  if (temporal.status === 'rejected') throw temporal.reason;
  if (demoTarget.status === 'rejected') throw demoTarget.reason;
  return { database: database.value, temporal: temporal.value, demoTarget: demoTarget.value };
}

async function startDevServer(configuration: EmbeddedConfiguration, folder: DataFolder): Promise<RunningTemporal> {
  return startTemporal({
    binary: await findTemporalCli(),
    port: configuration.TEMPORAL_PORT,
    uiPort: configuration.TEMPORAL_UI_PORT,
    dbFile: folder.temporalFile,
    logFile: folder.file('temporal.log'),
  });
}

async function connect(
  address: string,
  configuration: EmbeddedConfiguration,
  isElsewhere: boolean,
): Promise<NativeConnection> {
  if (!isElsewhere) return NativeConnection.connect({ address });
  const options = temporalConnectionOptions(address, configuration, (file) => readFileSync(file));
  const connection = await NativeConnection.connect(options).catch((error: unknown) => {
    throw new StartError(`No Temporal answers at ${address} (TEMPORAL_ADDRESS): ${messageOf(error)}`);
  });
  await registerSearchAttributes(connection, configuration.TEMPORAL_NAMESPACE);
  return connection;
}

/** The message of the innermost error, which is the useful one: the SDK's error wraps the socket's. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return /message: "([^"]+)"/.exec(text)?.[1] ?? text;
}

async function setUp(
  configuration: EmbeddedConfiguration,
  folder: DataFolder,
  { database, temporal, demoTarget, address }: Servers & { address: string },
  vault: Vault,
  apiPort: number,
): Promise<Credentials> {
  const addresses = {
    baseUrl: `http://${reachableHost(configuration.HOST)}:${apiPort}`,
    temporalUiUrl: temporal === null ? null : `http://${LOOPBACK}:${temporal.uiPort}`,
    temporalAddress: address,
    databaseUrl: database.applicationUrl,
    databaseOwnerUrl: database.ownerUrl,
    payments: demoTarget.payments,
    slack: demoTarget.slack,
  };
  const credentials = await withDatabase(addresses.databaseUrl, `${PRODUCT.id}-setup`, (db) =>
    ensureCredentials(db, folder, addresses, configuration.DEFAULT_PLAN, vault),
  );
  const apiKey = keyOf(credentials, 'development', 'full_access');
  const { baseUrl, workspaceId } = credentials;
  await ensureDemo({ folder, baseUrl, apiKey, workspaceId, targetPort: demoTarget.port });
  return credentials;
}

function ended(exited: Promise<void> | undefined, reason: string): Promise<string> {
  return exited === undefined ? new Promise(() => undefined) : exited.then(() => reason);
}
