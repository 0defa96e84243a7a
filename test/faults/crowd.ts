import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { expect } from 'vitest';
import { row, summarize } from '../../bench/latencies.ts';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import type { Tenant } from '../../db/client.ts';
import { SCOPES } from '../../domain/scopes.ts';
import type { Caller } from '../api/invocations/support.ts';
import { closesWithFile } from '../harness/closes-with-file.ts';
import { type ApiProcess, SeparateProcesses } from './separate-processes.ts';

/** What the tests share in which a crowd of messages waits: API and worker as a process each, a receiver, and what is measured. */

const BATCH = 1_000;
const SAMPLE_MS = 200;
const MEBIBYTE = 1024 ** 2;
/** A process that kept what waits would hold more. */
const GROWTH_BYTES_MAX = 200 * MEBIBYTE;

/** Notes when each body arrived, in order, and answers 200: at once, or once `answers` is settled. */
export class Receiver {
  readonly arrivals = new Map<string, number>();
  /** How often each body arrived. */
  readonly calls = new Map<string, number>();
  /** Told of the arrival of one body. */
  readonly told = new Map<string, () => void>();
  /** Called for each arrival; the answer waits for what it returns. */
  answers: (body: string) => Promise<void> | void = () => undefined;
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        this.calls.set(body, (this.calls.get(body) ?? 0) + 1);
        if (!this.arrivals.has(body)) this.arrivals.set(body, performance.now());
        this.told.get(body)?.();
        void Promise.resolve(this.answers(body)).then(() => response.writeHead(200).end());
      });
    });
  }

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
    closesWithFile(() => receiver.close());
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** What has arrived of a crowd, in order. */
  of(crowd: string): string[] {
    return [...this.arrivals.keys()].filter((body) => body.startsWith(`${crowd} `));
  }

  /** The times between the arrivals of these bodies. */
  gapsOf(bodies: readonly string[]): number[] {
    const times = bodies.map((body) => this.arrivals.get(body) ?? Number.NaN);
    return times.slice(1).map((at, n) => at - (times[n] ?? Number.NaN));
  }

  private async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** API and worker, separate so that their memory is theirs, and a receiver. All of it closes with the file. */
export class CrowdStage {
  readonly processes: SeparateProcesses;
  readonly receiver: Receiver;
  private readonly api: ApiProcess;
  private readonly temporal: Client;
  private readonly pids: Record<string, number | undefined>;
  private probes = 0;

  private constructor(
    processes: SeparateProcesses,
    receiver: Receiver,
    { api, temporal, workerPid }: { api: ApiProcess; temporal: Client; workerPid: number | undefined },
  ) {
    [this.processes, this.receiver, this.api, this.temporal] = [processes, receiver, api, temporal];
    this.pids = { api: api.program.process.pid, worker: workerPid, temporal: processes.temporal.pid };
  }

  static async start(workerEnvironment: Record<string, string> = {}): Promise<CrowdStage> {
    const [processes, receiver] = await Promise.all([SeparateProcesses.start(), Receiver.start()]);
    const [api, worker] = await Promise.all([processes.startApi(), processes.startWorker(workerEnvironment)]);
    const temporal = await processes.temporalClient();
    return new CrowdStage(processes, receiver, { api, temporal, workerPid: worker.process.pid });
  }

  /** The API with a key of every scope. */
  async callerOf(tenant: Tenant): Promise<Caller> {
    const { db } = this.processes.database;
    const { key } = await db.withEnvironment(tenant, (tx) => createApiKey(tx, { name: 'test', scopes: SCOPES }));
    return this.api.as(key);
  }

  /** Publishes the messages `name 1` to `name count`, in batches. */
  async publishCrowd(caller: Caller, name: string, count: number, members: Record<string, unknown>): Promise<void> {
    for (let from = 1; from <= count; from += BATCH) {
      const messages = Array.from({ length: Math.min(BATCH, count - from + 1) }, (_, n) => ({
        url: this.receiver.url,
        body: `${name} ${from + n}`,
        ...members,
      }));
      const reply = await caller.post('/api/v2/messages/batch', { messages });
      if (reply.status !== 200) throw new Error(`a batch was answered ${reply.status}: ${reply.text.slice(0, 200)}`);
    }
  }

  /** From the publish of one message to its arrival. */
  async probe(caller: Caller, members: Record<string, unknown>): Promise<void> {
    const body = `probe ${++this.probes}`;
    const arrived = new Promise<void>((resolve) => this.receiver.told.set(body, resolve));
    const sent = await caller.post('/api/v2/messages/publish', { url: this.receiver.url, body, ...members });
    if (sent.status !== 201) throw new Error(`a probe was answered ${sent.status}: ${sent.text}`);
    await arrived;
  }

  async openWorkflows(): Promise<number> {
    const query = `ExecutionStatus = 'Running' AND WorkflowType != 'sweepMaintenance'`;
    return (await this.temporal.workflow.count(query)).count;
  }

  async mostOpenUntil(over: Promise<unknown>): Promise<number> {
    const ended = over.then(() => 'over' as const);
    let most = 0;
    for (;;) {
      const looked = await Promise.race([ended, this.openWorkflows()]);
      if (looked === 'over') return most;
      most = Math.max(most, looked);
      await delay(SAMPLE_MS); // the count itself must not be what is measured
    }
  }

  residentBytes(): Record<string, number> {
    const sizes = Object.entries(this.pids).map(([name, pid]) => {
      const [, kibibytes = 'NaN'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      return [name, Number(kibibytes) * 1024];
    });
    return Object.fromEntries(sizes) as Record<string, number>;
  }

  async mebibytesOf(table: string): Promise<string> {
    const [size] = await this.processes.database.asOwner<{ bytes: number }>(
      'SELECT pg_total_relation_size($1::regclass)::float8 AS bytes',
      [table],
    );
    return ((size?.bytes ?? 0) / MEBIBYTE).toFixed(1);
  }
}

/** The rows and lines of the docs. */
export function report(figures: Record<string, number[]>, lines: readonly string[]): void {
  const rows = Object.entries(figures).map(([name, latencies]) => row(name, summarize({ rounds: [latencies] })));
  console.log([...rows, ...lines].join('\n'));
}

export function inMebibytes(sizes: Record<string, number>): string {
  return Object.entries(sizes)
    .map(([name, bytes]) => `${name} ${(bytes / MEBIBYTE).toFixed(0)}`)
    .join(', ');
}

export function expectBoundedGrowth(before: Record<string, number>, after: Record<string, number>): void {
  for (const name of ['api', 'worker']) {
    expect((after[name] ?? 0) - (before[name] ?? 0), `growth of the ${name}`).toBeLessThan(GROWTH_BYTES_MAX);
  }
}

/** Far from noise: what grows with the crowd would be a hundred times as slow. */
export function expectNoSlower(beside: number[], alone: number[]): void {
  const p50 = (latencies: number[]): number => summarize({ rounds: [latencies] }).p50Ms;
  expect(p50(beside)).toBeLessThan(3 * p50(alone) + 100);
}
