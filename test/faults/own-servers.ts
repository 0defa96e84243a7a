import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inject } from 'vitest';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import { Database } from '../../db/client.ts';
import { createWorkspace } from '../../db/environments/workspaces.ts';
import { migrate } from '../../db/migrate.ts';
import { type RunningPostgres, startPostgres } from '../../embedded/postgres.ts';
import { type RunningTemporal, startTemporal } from '../../embedded/temporal.ts';
import { closesWithFile } from '../harness/closes-with-file.ts';
import { Program } from '../harness/embedded-stack.ts';
import { freePorts } from '../../embedded/ports.ts';

export type Part = 'api' | 'worker' | 'temporal' | 'postgres';
type Process = Extract<Part, 'api' | 'worker'>;
type Environment = Record<string, string>;

/** PostgreSQL (fsync on) and Temporal (on a file) of a test's own, with one API and one worker process. Each can be killed. All of it closes with the file. */
export class OwnServers {
  readonly baseUrl: string;
  private readonly folder: string;
  private readonly environment: Environment;
  private readonly own: Partial<Record<Process, Environment>>;
  private postgres: RunningPostgres;
  private temporal: RunningTemporal;
  private programs: Partial<Record<Process, Program>> = {};

  private constructor(
    parts: { folder: string; postgres: RunningPostgres; temporal: RunningTemporal },
    environment: Environment,
    own: Partial<Record<Process, Environment>>,
  ) {
    ({ folder: this.folder, postgres: this.postgres, temporal: this.temporal } = parts);
    this.environment = environment;
    this.own = own;
    this.baseUrl = `http://127.0.0.1:${environment['PORT']}`;
  }

  /** Returns the servers and two keys of an environment without limits. `own`: what only one of the processes is given. */
  static async start(
    own: Partial<Record<Process, Environment>> = {},
  ): Promise<{ servers: OwnServers; key: string; otherKey: string; masterKeys: string }> {
    const folder = mkdtempSync(path.join(tmpdir(), 'own-servers-'));
    chmodSync(folder, 0o711); // PostgreSQL may have to run as another account
    const [port = 0, temporalPort = 0, postgresPort = 0] = await freePorts(3);
    const [postgres, temporal] = await Promise.all([
      startPostgres({ dataDir: path.join(folder, 'pg'), port: postgresPort }),
      startTemporal(temporalOptions(folder, temporalPort)),
    ]);
    const application = new URL(postgres.ownerUrl);
    [application.username, application.password] = ['service_application', 'application'];
    await migrate({ ownerUrl: postgres.ownerUrl, applicationUrl: application.href });
    const db = new Database({ url: application.href, applicationName: 'test', poolMax: 2 });
    const { workspaceId, environments } = await createWorkspace(db, 'Deliveries', 'enterprise', ['development']);
    const environmentId = environments[0]?.id ?? '';
    const [{ key }, { key: otherKey }] = await db.withEnvironment({ workspaceId, environmentId }, async (tx) => [
      await createApiKey(tx, { name: 'test', preset: 'full_access', scopes: ['messages:read', 'messages:write'] }),
      await createApiKey(tx, { name: 'other', preset: 'full_access' }),
    ]);
    await db.close();
    const masterKeys = `1:${randomBytes(32).toString('base64')}`;
    const environment = {
      DATABASE_URL: application.href,
      TEMPORAL_ADDRESS: temporal.address,
      MASTER_KEYS: masterKeys,
      EGRESS_ALLOW: '127.0.0.1',
      HOST: '127.0.0.1',
      PORT: String(port),
    };
    const servers = new OwnServers({ folder, postgres, temporal }, environment, own);
    closesWithFile(() => servers.close());
    await servers.start('api');
    await servers.start('worker');
    return { servers, key, otherKey, masterKeys };
  }

  /** The login of the application. */
  get applicationUrl(): string {
    return this.environment['DATABASE_URL'] ?? '';
  }

  get ownerUrl(): string {
    return this.postgres.ownerUrl;
  }

  get temporalAddress(): string {
    return this.temporal.address;
  }

  /** SIGKILL, and the same part started again. */
  async kill(part: Part): Promise<void> {
    if (part === 'postgres') {
      process.kill(this.postgres.pid, 'SIGKILL');
      await this.postgres.exited;
      this.postgres = await startPostgres({ dataDir: path.join(this.folder, 'pg'), port: this.postgres.port });
    } else if (part === 'temporal') {
      process.kill(this.temporal.pid, 'SIGKILL');
      await this.temporal.exited;
      this.temporal = await startTemporal(temporalOptions(this.folder, this.temporal.port));
    } else {
      await this.end(part, 'SIGKILL');
      await this.start(part);
    }
  }

  async end(part: Process, signal: NodeJS.Signals): Promise<void> {
    await this.programs[part]?.end(signal);
  }

  async start(part: Process, more: Environment = {}): Promise<void> {
    const environment = { ...this.environment, ...this.own[part], ...more };
    const program = new Program(['embedded/run.mjs', part === 'api' ? 'server.js' : 'worker.js'], environment);
    this.programs[part] = program;
    await program.printed(part === 'api' ? 'the API listens' : 'the worker polls');
  }

  /** SIGSTOP or SIGCONT, for one that does not answer. */
  signal(part: Process | 'temporal', signal: 'SIGSTOP' | 'SIGCONT'): void {
    if (part === 'temporal') process.kill(this.temporal.pid, signal);
    else this.programs[part]?.process.kill(signal);
  }

  private async close(): Promise<void> {
    await Promise.all(Object.values(this.programs).map((program) => program.end('SIGKILL')));
    await Promise.all([this.temporal.stop(), this.postgres.stop()]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function temporalOptions(folder: string, port: number): Parameters<typeof startTemporal>[0] {
  const dbFile = path.join(folder, 'temporal', 'temporal.db');
  const logFile = path.join(folder, 'temporal.log');
  return { binary: inject('stack').temporalCliPath, port, uiPort: null, dbFile, logFile };
}
