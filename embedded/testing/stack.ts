import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Child } from '../child-process.ts';
import { type Credentials, keyOf } from '../credentials.ts';
import { freePorts } from '../ports.ts';
import { projectRoot } from '../../process/project-root.ts';
import { workflowIdOf } from '../workflow-ids.ts';
import { clientOf, type TestClient } from './client.ts';

const READY_LINE = 'Ctrl-C stops everything';
const READY_TIMEOUT_MS = 180_000;
const STOP_GRACE_MS = 60_000;

/** `agent` only invokes; `full_access` defines and decides; `all_scopes` also has the scopes that no preset has. */
export type TestKey = 'agent' | 'standard' | 'full_access' | 'all_scopes';
export type TestEnvironment = 'development' | 'staging' | 'production';

export interface TestStackOptions {
  /** Settings of docs/reference/configuration.md, such as `{ EGRESS_ALLOW: '127.0.0.0/8' }`. */
  env?: Record<string, string>;
}

/** The whole service in processes of its own: API, worker, PostgreSQL and Temporal, on free ports and a new folder. */
export interface TestStack {
  readonly baseUrl: string;
  readonly temporalAddress: string;
  readonly temporalUiUrl: string | null;
  /** Calls the API with one of the keys; in the development environment where none is named. */
  as(key: TestKey, environment?: TestEnvironment): TestClient;
  /** Writes the history of a workflow (`inv_…` or a workflow's id) as a JSON file into the folder, and answers its name. */
  saveHistory(id: string, folder: string): Promise<string>;
  /** What the service has logged so far. */
  log(): string;
  /** Ends every process and removes the folder. */
  stop(): Promise<void>;
}

/**
 * Starts the service as `npm start` does. It takes some seconds: start one for a file of tests. It ends with this process too, however
 * that ends.
 *
 * @throws {Error} with the end of its log where it does not start.
 */
export async function startTestStack({ env = {} }: TestStackOptions = {}): Promise<TestStack> {
  const folder = mkdtempSync(path.join(tmpdir(), 'agent-actions-'));
  chmodSync(folder, 0o711); // PostgreSQL may have to run as another account
  const logFile = path.join(folder, 'stack.log');
  const dataDir = path.join(folder, 'data');
  const child = await start(dataDir, logFile, env);
  const stop = async (): Promise<void> => {
    await child.stop('SIGTERM', STOP_GRACE_MS);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await child.waitUntil(() => readFileSync(logFile, 'utf8').includes(READY_LINE), READY_TIMEOUT_MS);
  } catch (error) {
    await stop();
    throw error;
  }
  const credentials = JSON.parse(readFileSync(path.join(dataDir, 'credentials.json'), 'utf8')) as Credentials;
  const { baseUrl, temporalAddress, temporalUiUrl } = credentials;
  return {
    baseUrl,
    temporalAddress,
    temporalUiUrl,
    as: (key, environment = 'development') => clientOf(baseUrl, keyOf(credentials, environment, key)),
    saveHistory: (id, into) => saveHistory(temporalAddress, workflowIdOf(id), into),
    log: () => readFileSync(logFile, 'utf8'),
    stop,
  };
}

async function start(dataDir: string, logFile: string, env: Record<string, string>): Promise<Child> {
  const [api = 0, temporal = 0, ui = 0] = await freePorts(3);
  // Takes over no setting of the test's own environment, only what any program needs to run.
  const { PATH = '', HOME = '' } = process.env;
  return new Child({
    name: 'the service',
    command: process.execPath,
    args: [path.join(projectRoot(), 'embedded', 'start.mjs')],
    logFile,
    env: {
      PATH,
      HOME,
      UV_THREADPOOL_SIZE: '16',
      DATA_DIR: dataDir,
      PORT: String(api),
      TEMPORAL_PORT: String(temporal),
      TEMPORAL_UI_PORT: String(ui),
      ...env,
    },
    signalOnParentDeath: 'SIGTERM',
  });
}

async function saveHistory(address: string, workflowId: string, folder: string): Promise<string> {
  const connection = await Connection.connect({ address });
  try {
    const history = await new Client({ connection }).workflow.getHandle(workflowId).fetchHistory();
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, `${workflowId.replaceAll('/', '-')}.json`);
    writeFileSync(file, historyToJSON(history));
    return file;
  } finally {
    await connection.close();
  }
}
