import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { Client } from 'pg';
import { inject, vi } from 'vitest';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import { Database } from '../../db/client.ts';
import { createWorkspace } from '../../db/environments/workspaces.ts';
import { migrate } from '../../db/migrate.ts';
import { type RunningPostgres, startPostgres } from '../../embedded/postgres.ts';
import { type RunningTemporal, startTemporal } from '../../embedded/temporal.ts';
import { SWEEP_SCHEDULE_ID } from '../../temporal/maintenance/sweep-maintenance.ts';
import { call, type CallResult } from '../api/harness/test-api.ts';
import type { Caller } from '../api/invocations/support.ts';
import { closesWithFile } from '../harness/closes-with-file.ts';
import { Program } from '../harness/embedded-stack.ts';
import { PATIENCE_MS } from '../harness/patience.ts';
import { Gateway } from './separate-processes.ts';

const STANDBYS = ['s1', 's2'] as const;
type Standby = (typeof STANDBYS)[number];

/**
 * PostgreSQL (fsync on, with an archive of its log) and two standbys of it, a Temporal that outlives them, and one API and one worker
 * process. The processes and the standbys reach the primary at one address each, as a failover manager gives it. All of it closes with
 * the file.
 */
export class ReplicatedServers {
  readonly clients: Gateway;
  readonly replication: Gateway;
  primary: RunningPostgres;
  readonly standbys: Record<Standby, RunningPostgres>;
  api: (Caller & { program: Program }) | null = null;
  worker: Program | null = null;
  private dataDir: string;
  private readonly folder: string;
  private readonly temporal: RunningTemporal;
  private readonly url: string;
  private readonly key: string;
  private readonly masterKeys = `1:${randomBytes(32).toString('base64')}`;

  private constructor(
    parts: Pick<ReplicatedServers, 'clients' | 'replication' | 'primary' | 'standbys'>,
    inner: { dataDir: string; folder: string; temporal: RunningTemporal; url: string; key: string },
  ) {
    ({ clients: this.clients, replication: this.replication } = parts);
    ({ primary: this.primary, standbys: this.standbys } = parts);
    ({ dataDir: this.dataDir, folder: this.folder, temporal: this.temporal, url: this.url, key: this.key } = inner);
  }

  static async start(): Promise<ReplicatedServers> {
    const folder = mkdtempSync(path.join(tmpdir(), 'replicated-'));
    chmodSync(folder, 0o711); // PostgreSQL may have to run as another account
    const archive = path.join(folder, 'archive');
    mkdirSync(archive);
    chmodSync(archive, 0o777);
    const settings = settingsOf(archive);
    const dataDir = path.join(folder, 'primary');
    const [primary, temporal] = await Promise.all([
      startPostgres({ dataDir, port: 0, settings }),
      startTemporal({
        binary: inject('stack').temporalCliPath,
        port: 0,
        uiPort: null,
        dbFile: null,
        logFile: path.join(folder, 'temporal.log'),
      }),
    ]);
    const [clients, replication] = await Promise.all([Gateway.to(primary.port), Gateway.to(primary.port)]);
    const direct = new URL(primary.ownerUrl);
    [direct.username, direct.password] = ['service_application', 'application'];
    await migrate({ ownerUrl: primary.ownerUrl, applicationUrl: direct.href });
    const key = await makeKey(direct.href);
    const standbyOf = async (name: Standby): Promise<RunningPostgres> => {
      const copy = path.join(folder, name);
      await copyCluster(primary.ownerUrl, dataDir, copy);
      writeFileSync(path.join(copy, 'cluster', 'standby.signal'), '');
      const { username, password } = new URL(primary.ownerUrl);
      const [host, port] = replication.address.split(':');
      const conninfo = `host=${host} port=${port} user=${username} password=${password} application_name=${name}`;
      return startPostgres({ dataDir: copy, port: 0, settings: { ...settings, primary_conninfo: conninfo } });
    };
    const standbys = { s1: await standbyOf('s1'), s2: await standbyOf('s2') };
    const url = new URL(direct.href);
    url.host = clients.address;
    const servers = new ReplicatedServers(
      { clients, replication, primary, standbys },
      { dataDir, folder, temporal, url: url.href, key },
    );
    closesWithFile(() => servers.close());
    return servers;
  }

  /** Rows of the present primary, as its superuser; with `from`, of a standby. */
  async rows<Row extends object>(sql: string, from: RunningPostgres = this.primary): Promise<Row[]> {
    const client = new Client({ connectionString: from.ownerUrl });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** The names of the standbys of which commits wait for one; none: for nobody. */
  async waitFor(names: readonly Standby[]): Promise<void> {
    const wanted = names.length === 0 ? '' : `ANY 1 (${names.join(', ')})`;
    await this.rows(`ALTER SYSTEM SET synchronous_standby_names = '${wanted}'`);
    await this.rows('SELECT pg_reload_conf()');
    await vi.waitFor(
      async () => {
        const [seen] = await this.rows<{ count: number }>(
          `SELECT count(*)::int AS count FROM pg_stat_replication WHERE sync_state = 'quorum'`,
        );
        if (seen?.count !== names.length) throw new Error(`${seen?.count} standbys are waited for`);
      },
      { timeout: PATIENCE_MS, interval: 100 },
    );
  }

  async startProcesses(environment: Record<string, string> = {}): Promise<Caller> {
    const given = {
      DATABASE_URL: this.url,
      TEMPORAL_ADDRESS: this.temporal.address,
      MASTER_KEYS: this.masterKeys,
      EGRESS_ALLOW: '127.0.0.1',
      HOST: '127.0.0.1',
      PORT: '0',
      FILES_DIR: path.join(this.folder, 'files'),
      ...environment,
    };
    const [api, worker] = ['server.js', 'worker.js'].map((file) => new Program(['embedded/run.mjs', file], given));
    if (api === undefined || worker === undefined) throw new Error('no program was started');
    await Promise.all([api.printed('the API listens'), worker.printed('the worker polls')]);
    const baseUrl = `http://127.0.0.1:${/"port":(\d+)/.exec(api.output)?.[1]}`;
    const { key } = this;
    this.worker = worker;
    this.api = {
      program: api,
      post: (url, body, headers = {}): Promise<CallResult> =>
        call(`${baseUrl}${url}`, 'POST', { key, body, headers: { connection: 'close', ...headers } }),
      get: (url): Promise<CallResult> => call(`${baseUrl}${url}`, 'GET', { key }),
    };
    return this.api;
  }

  async stopProcesses(): Promise<void> {
    await Promise.all([this.api?.program.end('SIGKILL'), this.worker?.end('SIGKILL')]);
    [this.api, this.worker] = [null, null];
  }

  /** The primary dies; the standby that has most is promoted, and leads clients and the other standby. */
  async failOver(to?: Standby): Promise<void> {
    process.kill(this.primary.pid, 'SIGKILL');
    await this.primary.exited;
    const candidates = to === undefined ? STANDBYS : [to];
    const received = await Promise.all(
      candidates.map(async (name) => {
        const [seen] = await this.rows<{ bytes: string }>(
          `SELECT (pg_last_wal_receive_lsn() - '0/0')::text AS bytes`,
          this.standbys[name],
        );
        return { name, bytes: Number(seen?.bytes) };
      }),
    );
    const [best] = received.toSorted((one, other) => other.bytes - one.bytes);
    if (best === undefined) throw new Error('there is no standby');
    this.primary = this.standbys[best.name];
    this.dataDir = path.join(this.folder, best.name);
    await this.rows('SELECT pg_promote()');
    this.lead();
  }

  /** A base backup of the primary. Returns its folder. */
  async backUp(): Promise<string> {
    const copy = path.join(this.folder, `backup-${randomBytes(3).toString('hex')}`);
    await copyCluster(this.primary.ownerUrl, this.dataDir, copy);
    return copy;
  }

  /** Stops the primary, and starts the backup in its place, with the archived log up to a restore point. */
  async restore(backup: string, restorePoint: string): Promise<void> {
    const [{ file: last } = { file: '' }] = await this.rows<{ file: string }>(
      'SELECT pg_walfile_name(pg_switch_wal()) AS file',
    );
    const archive = path.join(this.folder, 'archive');
    await vi.waitFor(() => {
      if (!existsSync(path.join(archive, last))) throw new Error(`${last} is not archived`);
    }, PATIENCE_MS);
    await this.primary.stop();
    writeFileSync(path.join(backup, 'cluster', 'recovery.signal'), '');
    const settings = {
      ...settingsOf(archive),
      restore_command: `cp ${archive}/%f %p`,
      recovery_target_name: restorePoint,
      recovery_target_action: 'promote',
    };
    this.primary = await startPostgres({ dataDir: backup, port: 0, settings });
    this.dataDir = backup;
    await vi.waitFor(
      async () => {
        const [row] = await this.rows<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
        if (row?.standby !== false) throw new Error('it is still being restored');
      },
      { timeout: PATIENCE_MS, interval: 100 },
    );
    this.lead();
  }

  /** What is due is started now, and not half a minute after it became due. */
  async sweep(): Promise<void> {
    await this.rows('UPDATE workflow_starts SET due_at = now()');
    const connection = await Connection.connect({ address: this.temporal.address });
    await new TemporalClient({ connection }).schedule.getHandle(SWEEP_SCHEDULE_ID).trigger();
    await connection.close();
  }

  private lead(): void {
    this.replication.leadTo(this.primary.port);
    this.clients.leadTo(this.primary.port);
  }

  private async close(): Promise<void> {
    await this.stopProcesses();
    const servers = new Set([this.primary, ...Object.values(this.standbys)]);
    await Promise.all([...[...servers].map((server) => server.stop()), this.temporal.stop()]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const settingsOf = (archive: string): Record<string, string> => ({
  wal_keep_size: '256MB',
  max_connections: '100',
  shared_buffers: '32MB',
  wal_retrieve_retry_interval: '200ms',
  archive_mode: 'on',
  // A promoted standby may archive what the primary has archived.
  archive_command: `test -f ${archive}/%f || cp %p ${archive}/%f`,
});

async function makeKey(applicationUrl: string): Promise<string> {
  const db = new Database({ url: applicationUrl, applicationName: 'test', poolMax: 2 });
  const { workspaceId, environments } = await createWorkspace(db, 'Replicated', 'enterprise', ['development']);
  const environmentId = environments[0]?.id ?? '';
  const { key } = await db.withEnvironment({ workspaceId, environmentId }, (tx) =>
    createApiKey(tx, { name: 'test', preset: 'full_access' }),
  );
  await db.close();
  return key;
}

/** A base backup of a running server, as pg_basebackup makes it: the embedded binaries have none. */
async function copyCluster(ownerUrl: string, from: string, to: string): Promise<void> {
  const client = new Client({ connectionString: ownerUrl });
  await client.connect();
  await client.query(`SELECT pg_backup_start('copy', true)`);
  mkdirSync(to, { mode: 0o711 });
  copyFolder(path.join(from, 'cluster'), path.join(to, 'cluster'));
  const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
  await client.end();
  writeFileSync(path.join(to, 'cluster', 'backup_label'), rows[0]?.labelfile ?? '', { mode: 0o600 });
  copyFileSync(path.join(from, 'owner-password'), path.join(to, 'owner-password'));
}

/** Without the log, which the primary or the archive gives, and without what belongs to the running server. */
const NOT_COPIED = /^(pg_wal\/.*|postmaster\.(pid|opts)|.*\.signal)$/;

function copyFolder(from: string, to: string, within = ''): void {
  mkdirSync(to, { mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const name = within === '' ? entry.name : `${within}/${entry.name}`;
    if (NOT_COPIED.test(name)) continue;
    const [source, copy] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) {
      copyFolder(source, copy, name);
      continue;
    }
    try {
      copyFileSync(source, copy);
    } catch (error) {
      // A file that the server removes meanwhile is none that the log needs.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}
