import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import { Database } from '../../db/client.ts';
import { createWorkspace } from '../../db/environments/workspaces.ts';
import { startTemporal } from '../../embedded/temporal.ts';
import { findTemporalCli } from '../../embedded/temporal-binary.ts';
import { projectRoot } from '../../process/project-root.ts';
import { startBenchDatabase } from '../databases.ts';
import { BenchChild } from '../invoke/child.ts';
import { type Balancer, startBalancer } from './balancer.ts';

/** How many API and worker processes there are. */
export interface Size {
  apis: number;
  workers: number;
}

/** PostgreSQL, Temporal and a workspace, which all sizes use in turn. */
export interface Installation {
  key: string;
  start(size: Size): Promise<Running>;
  stop(): Promise<void>;
}

export interface Running {
  balancer: Balancer;
  stop(): Promise<void>;
}

export async function openInstallation(folder: string): Promise<Installation> {
  const postgres = await startBenchDatabase(folder);
  const temporal = await startTemporal({
    binary: await findTemporalCli(),
    port: 0,
    uiPort: null,
    dbFile: path.join(folder, 'temporal', 'temporal.db'),
    logFile: path.join(folder, 'temporal.log'),
  });
  const key = await makeKey(postgres.databaseUrl);
  const environment = {
    DATABASE_URL: postgres.databaseUrl,
    TEMPORAL_ADDRESS: temporal.address,
    MASTER_KEYS: `1:${randomBytes(32).toString('base64')}`,
    EGRESS_ALLOW: '127.0.0.1',
    FILES_DIR: path.join(folder, 'files'),
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'info',
    // One workspace makes all the load: its share must not be what is measured.
    WORKSPACE_DISPATCHES_MAX: '200',
    // As the image has it.
    MALLOC_ARENA_MAX: '2',
    UV_THREADPOOL_SIZE: '16',
  };
  return {
    key,
    start: (size) => startProcesses(size, environment),
    stop: async () => {
      await temporal.stop();
      await postgres.stop();
    },
  };
}

async function makeKey(url: string): Promise<string> {
  const db = new Database({ url, applicationName: 'bench-scale' });
  try {
    const { workspaceId, environments } = await createWorkspace(db, 'Bench', 'enterprise', ['development']);
    const environmentId = environments[0]?.id ?? '';
    const { key } = await db.withEnvironment({ workspaceId, environmentId }, (tx) =>
      createApiKey(tx, { name: 'bench', preset: 'full_access' }),
    );
    return key;
  } finally {
    await db.close();
  }
}

/** `server.js` and `worker.js` as the image runs them, the API with RUN_INVOCATIONS as docker-compose.yml has it. */
async function startProcesses({ apis, workers }: Size, environment: Record<string, string>): Promise<Running> {
  const { PATH = '', HOME = '' } = process.env;
  const start = (file: string, more: Record<string, string>): BenchChild =>
    new BenchChild(process.execPath, [path.join(projectRoot(), 'dist', file)], {
      cwd: projectRoot(),
      env: { PATH, HOME, ...environment, ...more },
    });
  const many = (count: number, make: () => BenchChild): BenchChild[] => Array.from({ length: count }, make);
  const servers = many(apis, () => start('server.js', { RUN_INVOCATIONS: '1' }));
  const children = [...servers, ...many(workers, () => start('worker.js', {}))];
  const ports = await Promise.all(
    servers.map(async (child) => Number((await child.printed(/"port":(\d+).*"the API listens"/))[1])),
  );
  await Promise.all(children.slice(apis).map((child) => child.printed(/the worker polls/)));
  const balancer = await startBalancer(ports);
  return {
    balancer,
    stop: async () => {
      await balancer.close();
      await Promise.all(children.map((child) => child.stop()));
    },
  };
}
