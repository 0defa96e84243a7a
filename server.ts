import { readFileSync, realpathSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { pathToFileURL } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { pino, type Logger } from 'pino';
import { createDocumentFetcher } from './activities/adapters/http-request/fetch-document.ts';
import { Watchdog } from './activities/adapters/watchdog.ts';
import { ImportPlanner } from './api/actions/import/import-planner.ts';
import { createApi } from './api/create-api.ts';
import { serveMetrics } from './api/health/serve-metrics.ts';
import type { NetworkSettings } from './api/http/transport-security.ts';
import { Database } from './db/client.ts';
import { NotificationListener } from './db/notifications/notification-listener.ts';
import { SettlementHub } from './db/notifications/settlement-hub.ts';
import { refusePrivilegedLogin } from './db/refuse-privileged-login.ts';
import { Vault } from './db/secrets/vault.ts';
import { readConfiguration } from './domain/configuration/configuration.ts';
import type { EgressAllow } from './domain/egress.ts';
import { loggerOptions } from './domain/logging.ts';
import { temporalConnectionOptions } from './domain/temporal-connection.ts';
import { TASK_QUEUE } from './temporal/task-queues.ts';

const APPLICATION_NAME = 'agent-actions-api';
/** A client that sends its headers or body slower than this is not one of ours. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** Above what load balancers keep idle connections for, so that they close first and no request meets a closing socket. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/** Requests that still wait for their outcome at the end of the grace are answered with what is known; this is their time for it. */
const LAST_REPLIES_MS = 2_000;

export interface ApiParts {
  databaseUrl: string;
  databasePoolMax: number;
  temporal: Client;
  vault: Pick<Vault, 'seal'>;
  logger: Logger;
  /** Only where a worker shares the client's connection. */
  eagerStart: boolean;
  host: string;
  /** 0 takes a free one. */
  port: number;
  shutdownGraceMs: number;
  /** Addresses that a description may be fetched from although they are not public. */
  egressAllow: EgressAllow;
  watchdog: Pick<Watchdog, 'run'>;
  network: NetworkSettings;
  /** False while more is set up around the API; not ready until then. */
  isSetUp?: () => boolean;
}

export interface RunningApi {
  port: number;
  /** Takes no new request, lets the present ones finish, and closes what `startApi` opened. The client stays open. */
  stop(): Promise<void>;
}

/** Opens the database, wires the API and listens. Throws UnsuitableLoginError for a login that row-level security does not bind. */
export async function startApi(parts: ApiParts): Promise<RunningApi> {
  const { logger } = parts;
  const db = new Database({
    url: parts.databaseUrl,
    poolMax: parts.databasePoolMax,
    applicationName: APPLICATION_NAME,
  });
  const notifications = new NotificationListener({
    url: parts.databaseUrl,
    applicationName: `${APPLICATION_NAME}-listen`,
    onError: (error, context) =>
      logger.warn({ ...context, message: error.message }, 'the notification connection is away'),
  });
  const settlements = new SettlementHub(notifications);
  const importPlanner = new ImportPlanner();
  const { temporal, vault, eagerStart } = parts;
  const { publicUrl } = parts.network;
  const api = createApi(
    {
      db,
      temporal,
      vault,
      settlements,
      notifications,
      logger,
      eagerStart,
      taskQueue: TASK_QUEUE,
      importPlanner,
      fetchDocument: createDocumentFetcher({ egressAllow: parts.egressAllow, watchdog: parts.watchdog }),
      publicOrigins: publicUrl === null ? [] : [publicUrl],
    },
    { network: parts.network, ...(parts.isSetUp === undefined ? {} : { isSetUp: parts.isSetUp }) },
  );
  const close = async (): Promise<void> => {
    api.close();
    importPlanner.close();
    settlements.close();
    await notifications.close();
    await db.close();
  };
  try {
    await refusePrivilegedLogin(db);
    await notifications.start();
    const server = new DrainingServer(api.callback);
    const port = await server.listen(parts.port, parts.host);
    logger.info({ port, host: parts.host }, 'the API listens');
    return {
      port,
      stop: async () => {
        const drained = server.drain(parts.shutdownGraceMs, () => settlements.close());
        settlements.endPolls();
        await drained;
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** An HTTP server that can stop without breaking off a reply. */
class DrainingServer {
  private readonly server: Server;
  private readonly replies = new Set<ServerResponse>();

  constructor(callback: Parameters<typeof createServer>[1]) {
    this.server = createServer(callback);
    this.server.headersTimeout = HEADERS_TIMEOUT_MS;
    this.server.requestTimeout = REQUEST_TIMEOUT_MS;
    this.server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
    this.server.prependListener('request', (_request, response) => {
      this.replies.add(response);
      response.once('close', () => this.replies.delete(response));
    });
  }

  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => {
        this.server.removeListener('error', reject);
        const address = this.server.address();
        resolve(address !== null && typeof address === 'object' ? address.port : port);
      });
    });
  }

  /** Waits for the replies under way. `hurry` is called when the grace is over; what is still open soon after is cut off. */
  async drain(graceMs: number, hurry: () => void): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.server.close(() => resolve());
    });
    // Connections that are kept alive would keep the server open: every reply from here on is its connection's last.
    for (const response of this.replies) response.shouldKeepAlive = false;
    const hurryTimer = setTimeout(hurry, graceMs);
    const cutTimer = setTimeout(() => this.server.closeAllConnections(), graceMs + LAST_REPLIES_MS);
    await closed;
    clearTimeout(hurryTimer);
    clearTimeout(cutTimer);
  }
}

async function main(): Promise<void> {
  const configuration = readConfiguration('api', process.env);
  const logger = pino(loggerOptions(configuration.LOG_LEVEL, 'api'));
  const connection = await Connection.connect(
    temporalConnectionOptions(configuration.TEMPORAL_ADDRESS, configuration, (file) => readFileSync(file)),
  );
  const watchdog = new Watchdog({ logger });
  const metrics = await serveMetrics(configuration.METRICS_ADDRESS, () => watchdog.metrics());
  const api = await startApi({
    databaseUrl: configuration.DATABASE_URL,
    databasePoolMax: configuration.DATABASE_POOL_MAX,
    temporal: new Client({ connection, namespace: configuration.TEMPORAL_NAMESPACE }),
    vault: Vault.fromMasterKeys(configuration.MASTER_KEYS),
    logger,
    eagerStart: false,
    host: configuration.HOST,
    port: configuration.PORT,
    shutdownGraceMs: configuration.SHUTDOWN_GRACE_SECONDS * 1000,
    egressAllow: configuration.EGRESS_ALLOW,
    watchdog,
    network: { publicUrl: configuration.PUBLIC_URL, trustedProxies: configuration.TRUSTED_PROXIES },
  });
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
  logger.info({ signal }, 'stopping');
  await api.stop();
  await connection.close();
  await metrics.close();
  logger.info('stopped');
  // A call that the SDK would try again throws out of its timer, since the connection is closed: a stop while Temporal is away
  // would end with that error instead.
  process.exit(0);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    // Connections that are half open would keep the process.
    process.exit(1);
  });
}
