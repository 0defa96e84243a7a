import path from 'node:path';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { Connection } from '@temporalio/client';
import { Child, lostThePort } from './child-process.ts';
import { listeningPorts } from './listening-ports.ts';
import { freePorts, LOOPBACK } from './ports.ts';
import { registerSearchAttributes } from './search-attributes.ts';

export const DEV_NAMESPACE = 'default';
const READY_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 1_000;
const STOP_GRACE_MS = 15_000;
const FREE_PORT_TRIES = 5;

/** Measured: without them a dev server polls its queues 20 times a second, and every task hop costs 50 ms. */
const LATENCY_SETTINGS = [
  'history.transferProcessorMaxPollRPS=10000',
  'history.timerProcessorMaxPollRPS=10000',
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  // By default a namespace starts 30 workflows a second from schedules: a thousand that are due at 09:00 would take half a minute.
  'worker.schedulerNamespaceStartWorkflowRPS=1000',
];
/** Off by default: tasks of equal priority are then dispatched in order of arrival, whichever tenant owns them. */
const FAIRNESS_SETTINGS = ['matching.useNewMatcher=true', 'matching.enableFairness=true'];
/** Measured: more than twice the throughput of SQLite's defaults, and `kill -9` loses no acknowledged start. */
const FILE_PRAGMAS = ['journal_mode=WAL', 'synchronous=NORMAL'];

export interface TemporalOptions {
  binary: string;
  /** 0 takes a free port. */
  port: number;
  /** Null means no web UI; 0 takes a free port. */
  uiPort: number | null;
  /** Null means in memory. A folder made for it is private to its owner. */
  dbFile: string | null;
  logFile: string;
  /** More of its dynamic configuration, as `name=value`. */
  settings?: readonly string[];
}

export interface RunningTemporal {
  address: string;
  port: number;
  uiPort: number | null;
  /** Every loopback port that it listens on: gRPC, UI, HTTP API, metrics, and its internal services. */
  ports: readonly number[];
  namespace: string;
  pid: number;
  exited: Promise<void>;
  stop(): Promise<void>;
}

/** Starts a dev server on 127.0.0.1 and returns when it is ready and knows our search attributes. */
export async function startTemporal(options: TemporalOptions): Promise<RunningTemporal> {
  mkdirSync(path.dirname(options.logFile), { recursive: true });
  if (options.dbFile !== null) prepareFolder(options.dbFile);
  for (let attempt = 1; ; attempt++) {
    const [freePort = 0, freeUiPort = 0, metricsPort = 0, httpPort = 0] = await freePorts(4);
    const port = options.port === 0 ? freePort : options.port;
    const uiPort = options.uiPort === 0 ? freeUiPort : options.uiPort;
    const child = launch(options, { port, uiPort, metricsPort, httpPort });
    const stop = (): Promise<void> => child.stop('SIGTERM', STOP_GRACE_MS);
    try {
      const address = `${LOOPBACK}:${port}`;
      await untilServing(child, address);
      if (options.dbFile !== null) writeFileSync(servedMark(options.dbFile), '');
      const given = [port, ...(uiPort === null ? [] : [uiPort]), metricsPort, httpPort];
      const ports = [...new Set([...given, ...listeningPorts(child.pid)])];
      return { address, port, uiPort, ports, namespace: DEV_NAMESPACE, pid: child.pid, exited: child.exited, stop };
    } catch (error) {
      await stop();
      if (attempt >= FREE_PORT_TRIES || !lostThePort(error)) throw error;
    }
  }
}

/**
 * The server creates its tables only in a new file. A file that never served, because the first start was interrupted, may lack them: it is
 * moved aside.
 */
function prepareFolder(dbFile: string): void {
  const folder = path.dirname(dbFile);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(dbFile) || existsSync(servedMark(dbFile))) return;
  for (const name of readdirSync(folder).filter((candidate) => candidate.startsWith(path.basename(dbFile)))) {
    renameSync(path.join(folder, name), path.join(folder, `unfinished-${name}`));
  }
}

function servedMark(dbFile: string): string {
  return `${dbFile}.served`;
}

function launch(
  options: TemporalOptions,
  ports: { port: number; uiPort: number | null; metricsPort: number; httpPort: number },
): Child {
  // Only the log of this start, because errors quote it.
  rmSync(options.logFile, { force: true });
  return new Child({
    name: 'The Temporal dev server',
    command: options.binary,
    args: [
      'server',
      'start-dev',
      '--log-level=warn',
      `--ip=${LOOPBACK}`,
      `--port=${ports.port}`,
      `--metrics-port=${ports.metricsPort}`,
      `--http-port=${ports.httpPort}`,
      ...(ports.uiPort === null ? ['--headless'] : [`--ui-port=${ports.uiPort}`, '--ui-disable-news-fetch']),
      ...[...LATENCY_SETTINGS, ...FAIRNESS_SETTINGS, ...(options.settings ?? [])].map(
        (setting) => `--dynamic-config-value=${setting}`,
      ),
      ...(options.dbFile === null
        ? []
        : [`--db-filename=${options.dbFile}`, ...FILE_PRAGMAS.map((pragma) => `--sqlite-pragma=${pragma}`)]),
    ],
    logFile: options.logFile,
    signalOnParentDeath: 'SIGTERM',
  });
}

/** Ready means that it answers for its namespace and accepts our search attributes. An open port is not enough. */
async function untilServing(child: Child, address: string): Promise<void> {
  let lastError: unknown;
  try {
    await child.waitUntil(async () => {
      try {
        await prepareNamespace(address);
        return true;
      } catch (error) {
        lastError = error; // not ready yet: the error matters only if it persists
        return false;
      }
    }, READY_TIMEOUT_MS);
  } catch (error) {
    if (error instanceof Error && lastError !== undefined) error.cause ??= lastError;
    throw error;
  }
}

async function prepareNamespace(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: CONNECT_TIMEOUT_MS });
  try {
    await connection.workflowService.describeNamespace({ namespace: DEV_NAMESPACE });
    await registerSearchAttributes(connection, DEV_NAMESPACE);
  } finally {
    await connection.close();
  }
}
