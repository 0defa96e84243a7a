import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { inject } from 'vitest';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import { startTemporal, type RunningTemporal } from '../../embedded/temporal.ts';
import { call, type CallResult } from '../api/harness/test-api.ts';
import type { Caller } from '../api/invocations/support.ts';
import { closesWithFile } from '../harness/closes-with-file.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { Program } from '../harness/embedded-stack.ts';
import { startTarget } from '../harness/target.ts';
import { projectRoot } from '../../process/project-root.ts';

/** What the processes work on. What is left out is started for them. */
export interface Surroundings {
  /** More of Temporal's dynamic configuration. */
  settings?: readonly string[];
  database?: TestDatabase;
  temporal?: RunningTemporal;
  /** For every process. */
  environment?: Record<string, string>;
}

export interface ApiProcess extends Caller {
  program: Program;
  baseUrl: string;
  /** What it is called with. */
  key: string;
  /** The same process, called with another key. */
  as(key: string): Caller;
  putSecret(name: string, value: string): Promise<CallResult>;
}

/**
 * The production shape: `server.ts` and `worker.ts` as processes of their own, as many as a test starts, on a database and a
 * Temporal that only they use. A kill here is a real one, because the test's process holds none of their state. All of it closes with the
 * file.
 */
export class SeparateProcesses {
  readonly database: TestDatabase;
  readonly temporal: RunningTemporal;
  private readonly key: string;
  private readonly folder: string;
  private readonly environment: Record<string, string>;
  private readonly programs: Program[] = [];

  private constructor(
    on: Pick<Required<Surroundings>, 'database' | 'temporal' | 'environment'>,
    key: string,
    folder: string,
  ) {
    const { database, temporal } = on;
    this.database = database;
    this.temporal = temporal;
    this.key = key;
    this.folder = folder;
    this.environment = {
      DATABASE_URL: database.applicationUrl,
      TEMPORAL_ADDRESS: temporal.address,
      MASTER_KEYS: `1:${randomBytes(32).toString('base64')}`,
      EGRESS_ALLOW: '127.0.0.1',
      HOST: '127.0.0.1',
      PORT: '0',
      // A busy machine may stand still for a while. No dispatch of a worker that lives is lost to that.
      HEARTBEAT_TIMEOUT_SECONDS: '60',
      ...on.environment,
    };
  }

  static async start(on: Surroundings = {}): Promise<SeparateProcesses> {
    const folder = mkdtempSync(path.join(tmpdir(), 'faults-'));
    const binary = inject('stack').temporalCliPath;
    const logFile = path.join(folder, 'temporal.log');
    const { settings = [], environment = {} } = on;
    const [database, temporal] = await Promise.all([
      on.database ?? createTestDatabase(),
      on.temporal ?? startTemporal({ binary, port: 0, uiPort: null, dbFile: null, logFile, settings }),
    ]);
    const { key } = await database.db.withEnvironment(database.tenant, (tx) =>
      createApiKey(tx, { name: 'test', preset: 'full_access' }),
    );
    const processes = new SeparateProcesses({ database, temporal, environment }, key, folder);
    closesWithFile(() => processes.close());
    return processes;
  }

  /** `release`: the folder of another build; left out: that of the test run. */
  async startApi(environment: Record<string, string> = {}, release?: string): Promise<ApiProcess> {
    const program = this.run(programOf('server.js', release), environment);
    await program.printed('the API listens');
    return this.apiOf(program, `http://127.0.0.1:${/"port":(\d+)/.exec(program.output)?.[1]}`);
  }

  /** API and worker in one process, as `npm start` runs them, on the same database and Temporal. A kill of it is the end of both. */
  async startWhole(environment: Record<string, string> = {}): Promise<ApiProcess> {
    const own = { DATA_DIR: path.join(this.folder, 'whole') };
    const program = this.run(['embedded/start.mjs'], { ...own, ...environment });
    await program.printed('Ctrl-C stops everything');
    return this.apiOf(program, /API {2,}(http:\S+)/.exec(program.output)?.[1] ?? '');
  }

  private apiOf(program: Program, baseUrl: string): ApiProcess {
    const as = (key: string): Caller => ({
      post: (url, body, headers = {}): Promise<CallResult> => call(`${baseUrl}${url}`, 'POST', { key, body, headers }),
      get: (url): Promise<CallResult> => call(`${baseUrl}${url}`, 'GET', { key }),
    });
    const putSecret = (name: string, value: string): Promise<CallResult> =>
      call(`${baseUrl}/api/v2/secrets/${name}`, 'PUT', { key: this.key, body: { value } });
    return { program, baseUrl, key: this.key, as, putSecret, ...as(this.key) };
  }

  async startWorker(environment: Record<string, string> = {}, release?: string): Promise<Program> {
    const program = this.run(programOf('worker.js', release), environment);
    await program.printed('the worker polls');
    return program;
  }

  /** Runs a command of ours to its end. It does not throw where that is a failure. */
  command(file: string, args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH, HOME, ...this.environment, ...environment };
    const program = ['embedded/run.mjs', `embedded/commands/${file}`, ...args];
    return new Promise((resolve) => {
      execFile(process.execPath, program, { env, cwd: projectRoot() }, (error, output, errors) =>
        resolve({ isOk: error === null, output, errors }),
      );
    });
  }

  async temporalClient(): Promise<Client> {
    const connection = await Connection.connect({ address: this.temporal.address });
    closesWithFile(() => connection.close());
    return new Client({ connection });
  }

  private async close(): Promise<void> {
    await Promise.all(this.programs.map((program) => program.end('SIGKILL')));
    await this.temporal.stop();
    await this.database.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private run(args: readonly string[], environment: Record<string, string>): Program {
    const program = new Program(args, { ...this.environment, ...environment });
    this.programs.push(program);
    return program;
  }
}

export interface Ended {
  isOk: boolean;
  /** The standard output. */
  output: string;
  /** The standard error. */
  errors: string;
}

function programOf(file: string, release?: string): string[] {
  return release === undefined ? ['embedded/run.mjs', file] : [path.join(release, 'dist', file)];
}

/** An API process, without a worker, and a target. */
export async function startApiProcess() {
  const [processes, target] = await Promise.all([SeparateProcesses.start(), startTarget()]);
  return { processes, target, api: await processes.startApi() };
}

/** A proxy to a server that can be blocked: connections stay open, also new ones, but no data passes. It closes with the file. */
export class Gateway {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private isBlocked = false;
  private port: number;

  private constructor(port: number) {
    this.port = port;
    this.server = createServer((near) => {
      const far = connect(this.port, '127.0.0.1');
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.sockets.add(from);
        if (!this.isBlocked) from.pipe(to);
        from.once('error', () => to.destroy());
        from.once('close', () => this.sockets.delete(from));
      }
    });
  }

  static async to(port: number): Promise<Gateway> {
    const gateway = new Gateway(port);
    await new Promise<void>((resolve) => gateway.server.listen(0, '127.0.0.1', resolve));
    closesWithFile(async () => gateway.close());
    return gateway;
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  block(): void {
    this.isBlocked = true;
    for (const socket of this.sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  /** Ends every connection. New ones lead to this port. */
  leadTo(port: number): void {
    [this.port, this.isBlocked] = [port, false];
    this.cut();
  }

  /** Ends every connection. New ones pass. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private close(): void {
    this.cut();
    this.server.close();
  }
}
