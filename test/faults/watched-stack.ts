import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client as TemporalClient, Connection, type ScheduleHandle } from '@temporalio/client';
import { Client } from 'pg';
import { onTestFinished, vi } from 'vitest';
import { freePorts } from '../../embedded/ports.ts';
import { projectRoot } from '../../process/project-root.ts';
import { SWEEP_SCHEDULE_ID } from '../../temporal/maintenance/sweep-maintenance.ts';
import { call, type CallResult } from '../api/harness/test-api.ts';
import type { Caller } from '../api/invocations/support.ts';
import { closesWithFile } from '../harness/closes-with-file.ts';
import { type Samples, samplesOf, valueIn } from '../harness/firing-alerts.ts';
import { PATIENCE_MS } from '../harness/patience.ts';
import { OwnServers } from './own-servers.ts';

export const CONNECTIONS_MAX = 40;
/** As if one request had computed for so long. */
const STANDS_STILL_MS = 1_500;
const LOOK_INTERVAL_MS = 250;

export const isPositive = (value: number | null): boolean => (value ?? 0) > 0;
export const isZero = (value: number | null): boolean => value === 0;

/** An API and a worker whose metrics are scraped, on servers of their own, with the means to break each. It closes with the file. */
export class WatchedStack {
  readonly servers: OwnServers;
  readonly masterKeys: string;
  readonly api: Caller;
  /** Another caller, who may resolve what the first asked for. */
  readonly resolver: Caller;
  /** The superuser. */
  readonly owner: Client;
  readonly sweep: ScheduleHandle;
  private readonly ports: Readonly<Record<string, number>>;
  private readonly filesDir: string;

  private constructor(
    parts: Pick<WatchedStack, 'servers' | 'masterKeys' | 'owner' | 'sweep'>,
    keys: readonly [string, string],
    { ports, filesDir }: { ports: Readonly<Record<string, number>>; filesDir: string },
  ) {
    ({ servers: this.servers, masterKeys: this.masterKeys, owner: this.owner, sweep: this.sweep } = parts);
    [this.ports, this.filesDir] = [ports, filesDir];
    const callerWith = (key: string): Caller => ({
      post: (url, body, headers = {}) => call(`${this.servers.baseUrl}${url}`, 'POST', { key, body, headers }),
      get: (url): Promise<CallResult> => call(`${this.servers.baseUrl}${url}`, 'GET', { key }),
    });
    [this.api, this.resolver] = [callerWith(keys[0]), callerWith(keys[1])];
  }

  static async start(): Promise<WatchedStack> {
    const [api = 0, worker = 0] = await freePorts(2);
    const filesDir = mkdtempSync(path.join(tmpdir(), 'files-of-alerts-'));
    closesWithFile(async () => rmSync(filesDir, { recursive: true }));
    const own = (port: number) => ({ METRICS_ADDRESS: `127.0.0.1:${port}`, FILES_DIR: filesDir });
    const { servers, key, otherKey, masterKeys } = await OwnServers.start({
      api: { ...own(api), DATABASE_POOL_MAX: '2', HTTP_CONNECTIONS_PER_ADDRESS_MAX: String(CONNECTIONS_MAX) },
      worker: { ...own(worker), WORKSPACE_DISPATCHES_MAX: '1' },
    });
    const owner = new Client({ connectionString: servers.ownerUrl });
    owner.on('error', () => undefined); // it may outlive its server by a moment
    const connection = await Connection.connect({ address: servers.temporalAddress });
    await owner.connect();
    closesWithFile(async () => void (await Promise.all([owner.end(), connection.close()])));
    const sweep = new TemporalClient({ connection }).schedule.getHandle(SWEEP_SCHEDULE_ID);
    const parts = { servers, masterKeys, owner, sweep };
    return new WatchedStack(parts, [key, otherKey], { ports: { api, worker }, filesDir });
  }

  /** What both processes show; nothing of one that is away. */
  async scrape(): Promise<Samples> {
    const texts: Record<string, string> = {};
    for (const [instance, port] of Object.entries(this.ports)) {
      const reply = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => null);
      if (reply !== null) texts[instance] = await reply.text();
    }
    return samplesOf(texts);
  }

  /** Scrapes until a series has such a value, because figures are read every fifteen seconds. Returns that scrape. */
  async seen(is: (value: number | null) => boolean, ...texts: readonly string[]): Promise<Samples> {
    const look = async (): Promise<Samples> => {
      const samples = await this.scrape();
      const value = valueIn(samples, ...texts);
      if (!is(value)) throw new Error(`${texts.join(' ')} is ${value}`);
      return samples;
    };
    return vi.waitFor(look, { timeout: PATIENCE_MS, interval: LOOK_INTERVAL_MS });
  }

  /** Past the triggers: what would be so after a time. */
  async plant(sql: string): Promise<void> {
    await this.owner.query("SET session_replication_role = 'replica'");
    await this.owner.query(sql);
    await this.owner.query("SET session_replication_role = 'origin'");
  }

  async setSystem(name: string, value: string): Promise<void> {
    await this.owner.query(`ALTER SYSTEM SET ${name} = ${value}`);
    await this.owner.query('SELECT pg_reload_conf()');
  }

  /** The command of the runbook, as the image runs it. */
  recovery(verb: 'open' | 'release'): void {
    const { PATH = '', HOME = '' } = process.env;
    const DATABASE_URL = this.servers.applicationUrl;
    const TEMPORAL_ADDRESS = this.servers.temporalAddress;
    execFileSync(process.execPath, ['embedded/run.mjs', 'embedded/commands/recovery.js', verb], {
      cwd: projectRoot(),
      env: { PATH, HOME, DATABASE_URL, TEMPORAL_ADDRESS, MASTER_KEYS: this.masterKeys },
    });
  }

  /** Stops a process for a moment between two scrapes, and again until the second shows it: its timer may run after that. */
  async seenBusy(part: 'api'): Promise<Samples> {
    const look = async (): Promise<Samples> => {
      await this.scrape();
      this.servers.signal(part, 'SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, STANDS_STILL_MS));
      this.servers.signal(part, 'SIGCONT');
      const samples = await this.scrape();
      const lag = valueIn(samples, 'nodejs_eventloop_lag_p99_seconds', `instance="${part}"`) ?? 0;
      if (lag < STANDS_STILL_MS / 2_000) throw new Error(`the event loop of ${part} is ${lag} s late`);
      return samples;
    };
    return vi.waitFor(look, { timeout: PATIENCE_MS, interval: LOOK_INTERVAL_MS });
  }

  /** A disk of its own in place of the folder of files, with less than a tenth free. Returns what ends it; null where none can be mounted. */
  fillDisk(): (() => void) | null {
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', this.filesDir]).status !== 0) return null;
    const undo = (): void => void spawnSync('umount', [this.filesDir]);
    onTestFinished(undo);
    writeFileSync(path.join(this.filesDir, 'large'), Buffer.alloc(1_000_000));
    return undo;
  }
}
