import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Connection, type ConnectionOptions } from '@temporalio/client';
import { Client } from 'pg';
import { Child, lostThePort } from '../../../embedded/child-process.ts';
import { freePorts } from '../../../embedded/ports.ts';
import type { RunningTemporal } from '../../../embedded/temporal.ts';
import { projectRoot } from '../../../process/project-root.ts';
import { findTool, fromGo, type Make } from '../../harness/tool.ts';

/** Temporal's own server on PostgreSQL, all of its services in one process, set up as docker-compose.yml sets it up. */

/** The release that docker-compose.yml pins. */
export function temporalVersion(): string {
  const compose = readFileSync(path.join(projectRoot(), 'docker-compose.yml'), 'utf8');
  const [, version] = /image: temporalio\/server:(\S+)/.exec(compose) ?? [];
  if (version === undefined) throw new Error('docker-compose.yml names no temporalio/server');
  return version;
}

/** The server takes ten minutes of two cores to compile, so `npm test` does without where it is not at hand. */
function compiled(program: string, name: string): Make {
  return process.env['TEMPORAL_SERVER'] === 'compile'
    ? fromGo(`go.temporal.io/server/cmd/${program}@v${temporalVersion()}`, name)
    : () => ['`npm run test:temporal` compiles it'];
}
function find(program: string, title: string) {
  const name = `${title}-${temporalVersion()}`;
  return findTool(name, '--version', [compiled(program, name)]);
}
const server = find('server', 'temporal-server');
const sqlTool = find('tools/sql', 'temporal-sql-tool');
/** Why it cannot be run here; empty where it can. */
export const missing = [server, sqlTool].flatMap((tool) => ('missing' in tool ? [tool.missing] : []));

const LOGIN = 'temporal';
const PASSWORD = 'temporal-password';
const SHARDS = 4;
const READY_TIMEOUT_MS = 120_000;
const CONNECT_TIMEOUT_MS = 2_000;
const STOP_GRACE_MS = 20_000;
const PORT_TRIES = 5;
const SERVICES = ['frontend', 'history', 'matching', 'worker'];

/** Makes a login and the two databases, with the schema that the tool carries. Safe to run again. */
export async function makeTemporalDatabases(ownerUrl: string): Promise<void> {
  const owner = new Client({ connectionString: ownerUrl });
  await owner.connect();
  await owner.query(`CREATE ROLE ${LOGIN} LOGIN CREATEDB PASSWORD '${PASSWORD}'`);
  await owner.end();
  for (const [database, schema] of [
    ['temporal', 'temporal'],
    ['temporal_visibility', 'visibility'],
  ] as const) {
    runSqlTool(ownerUrl, database, ['create']);
    runSqlTool(ownerUrl, database, ['setup-schema', '-v', '0.0']);
    runSqlTool(ownerUrl, database, ['update-schema', '--schema-name', `postgresql/v12/${schema}`]);
  }
}

function runSqlTool(ownerUrl: string, database: string, args: readonly string[]): void {
  if ('missing' in sqlTool) throw new Error(sqlTool.missing);
  const { hostname, port } = new URL(ownerUrl);
  const where = ['--plugin', 'postgres12', '--ep', hostname, '--port', port, '--user', LOGIN, '--password', PASSWORD];
  const { status, stdout, stderr } = spawnSync(sqlTool.program, [...where, '--db', database, ...args], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`temporal-sql-tool ${args.join(' ')}: ${stdout}${stderr}`);
}

export interface TemporalServerOptions {
  ownerUrl: string;
  /** What the image of the server takes as its environment, beyond the addresses. */
  environment?: Record<string, string>;
  /** Left out: all four in the process. */
  services?: readonly string[];
  /** How it is asked whether it serves. */
  connect?: Omit<ConnectionOptions, 'address'>;
}

/** Starts it on free ports and returns when it serves. Who starts it stops it. */
export async function startTemporalServer(options: TemporalServerOptions): Promise<RunningTemporal> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await launch(options);
    } catch (error) {
      if (attempt >= PORT_TRIES || !lostThePort(error)) throw error;
    }
  }
}

async function launch({ ownerUrl, environment = {}, services = SERVICES, connect = {} }: TemporalServerOptions) {
  if ('missing' in server) throw new Error(server.missing);
  const folder = mkdtempSync(path.join(tmpdir(), 'temporal-server-'));
  const names = [...SERVICES, 'internal-frontend'].flatMap((service) =>
    ['GRPC', 'MEMBERSHIP', 'HTTP'].map((kind) => `${service.toUpperCase().replace('-', '_')}_${kind}_PORT`),
  );
  const ports = await freePorts(names.length);
  const given = Object.fromEntries(names.map((name, at) => [name, String(ports[at])]));
  const { hostname, port: databasePort } = new URL(ownerUrl);
  const child = new Child({
    name: 'Temporal’s server',
    command: server.program,
    args: ['start', ...services.flatMap((service) => ['--service', service])],
    logFile: path.join(folder, 'temporal.log'),
    env: {
      DB: 'postgres12',
      DB_PORT: databasePort,
      POSTGRES_PORT: databasePort,
      POSTGRES_SEEDS: hostname,
      POSTGRES_USER: LOGIN,
      POSTGRES_PWD: PASSWORD,
      BIND_ON_IP: '127.0.0.1',
      NUM_HISTORY_SHARDS: String(SHARDS),
      DYNAMIC_CONFIG_FILE_PATH: path.join(projectRoot(), 'ops', 'temporal', 'dynamic-config.yaml'),
      LOG_LEVEL: 'warn',
      ...given,
      ...environment,
    },
    signalOnParentDeath: 'SIGTERM',
  });
  const stop = async (): Promise<void> => {
    await child.stop('SIGTERM', STOP_GRACE_MS);
    rmSync(folder, { recursive: true, force: true });
  };
  const port = Number(given['FRONTEND_GRPC_PORT']);
  const address = `127.0.0.1:${port}`;
  try {
    await child.waitUntil(() => serves({ ...connect, address }), READY_TIMEOUT_MS);
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, port, uiPort: null, ports, namespace: 'default', pid: child.pid, exited: child.exited, stop };
}

/** Its shards are taken, and its caches have the list of namespaces: it knows its own. */
async function serves(options: ConnectionOptions): Promise<boolean> {
  try {
    const connection = await Connection.connect({ ...options, connectTimeout: CONNECT_TIMEOUT_MS });
    try {
      await connection.workflowService.listNamespaces({ pageSize: 1 });
      return true;
    } finally {
      await connection.close();
    }
  } catch {
    return false; // not yet: the log of one that never serves is in the error
  }
}

/** Judges a file of dynamic configuration as the server reads it. Returns what it says, and whether it takes it. */
export function validateDynamicConfig(file: string): { isValid: boolean; output: string } {
  if ('missing' in server) throw new Error(server.missing);
  const { status, stdout, stderr } = spawnSync(server.program, ['validate-dynamic-config', file], { encoding: 'utf8' });
  return { isValid: status === 0, output: `${stdout}${stderr}` };
}
