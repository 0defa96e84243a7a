import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keySchema } from '../../api/flow-control/schemas.ts';
import { measureCalls, row, summarize } from '../../bench/latencies.ts';
import { createApiKey } from '../../db/api-keys/create-api-key.ts';
import { grantWaiting } from '../../db/flow-control/grant-waiting.ts';
import { SCOPES } from '../../domain/scopes.ts';
import { type Caller, dataOf } from '../api/invocations/support.ts';
import { PATIENCE_MS } from '../harness/patience.ts';
import { inForm } from './form.ts';
import { SeparateProcesses } from './separate-processes.ts';

/**
 * A crowd that waits on one key costs rows and no workflow, slows no grant and no other key. The processes are separate ones, so that
 * their memory is theirs. `npm run test:faults` prints the figures of docs/flow-control.md and holds them to a bound.
 */

const CROWD = inForm({ short: 300, full: 100_000 });
const SMALL = inForm({ short: 10, full: 100 });
/** How many of the crowd are delivered, one at a time, while it is measured. */
const DRAINED = inForm({ short: 20, full: 300 });
const PROBES = inForm({ short: 3, full: 50 });
const GRANTS = inForm({ short: 20, full: 500 });
const BATCH = 1_000;
const MEBIBYTE = 1024 ** 2;
/** A process that kept what waits would hold more. */
const GROWTH_BYTES_MAX = 200 * MEBIBYTE;
const OPEN_MAX = 50;
const SAMPLE_MS = 200;
const TIMEOUT_MS = inForm({ short: 4 * PATIENCE_MS, full: 3_600_000 });

let processes: SeparateProcesses;
let temporal: Client;
let receiver: Server;
let api: Caller;
let pids: Record<string, number | undefined>;
/** When each body arrived, in order. */
const arrivals = new Map<string, number>();
const told = new Map<string, () => void>();

beforeAll(async () => {
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      if (!arrivals.has(body)) arrivals.set(body, performance.now());
      told.get(body)?.();
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  processes = await SeparateProcesses.start();
  const { database } = processes;
  const { key } = await database.db.withEnvironment(database.tenant, (tx) =>
    createApiKey(tx, { name: 'test', scopes: SCOPES }),
  );
  const [apiProcess, worker] = await Promise.all([processes.startApi(), processes.startWorker()]);
  api = apiProcess.as(key);
  pids = { api: apiProcess.program.process.pid, worker: worker.process.pid, temporal: processes.temporal.pid };
  temporal = new Client({ connection: await Connection.connect({ address: processes.temporal.address }) });
});
afterAll(async () => {
  await temporal?.connection.close();
  await processes?.close();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

const url = (): string => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;

/** A paused key with so many waiting messages, `name 1` to `name count`. Returns its id. */
async function crowd(name: string, count: number): Promise<string> {
  const made = await api.post('/api/v2/flow-control', { key: name, parallelism: 1 });
  const { id } = dataOf(made, keySchema);
  expect((await api.post(`/api/v2/flow-control/${id}/pause`, {})).status).toBe(200);
  for (let from = 1; from <= count; from += BATCH) {
    const messages = Array.from({ length: Math.min(BATCH, count - from + 1) }, (_, n) => ({
      url: url(),
      body: `${name} ${from + n}`,
      flowControl: { key: name },
    }));
    const reply = await api.post('/api/v2/messages/batch', { messages });
    expect([reply.status, reply.text.slice(0, 200)]).toEqual([200, expect.anything()]);
  }
  expect(await keyOf(id)).toMatchObject({ waiting: count, inFlight: 0 });
  return id;
}

const keyOf = async (id: string) => dataOf(await api.get(`/api/v2/flow-control/${id}`), keySchema);

let probes = 0;
/** From the publish of one message on a key of its own to its arrival. */
async function probe(): Promise<void> {
  const body = `probe ${++probes}`;
  const arrived = new Promise<void>((resolve) => told.set(body, resolve));
  const sent = await api.post('/api/v2/messages/publish', { url: url(), body, flowControl: { key: 'other' } });
  expect(sent.status).toBe(201);
  await arrived;
}

/** Resumes a key until so many of its messages have arrived, and returns the times between them. */
async function drain(name: string, keyId: string, count: number): Promise<number[]> {
  expect((await api.post(`/api/v2/flow-control/${keyId}/resume`, {})).status).toBe(200);
  await expect.poll(() => arrivals.has(`${name} ${count}`), { timeout: TIMEOUT_MS / 2 }).toBe(true);
  expect((await api.post(`/api/v2/flow-control/${keyId}/pause`, {})).status).toBe(200);
  const bodies = Array.from({ length: count }, (_, n) => `${name} ${n + 1}`);
  const times = bodies.map((body) => arrivals.get(body) ?? Number.NaN);
  expect([...arrivals.keys()].filter((body) => body.startsWith(`${name} `)).slice(0, count), 'the order').toEqual(
    bodies,
  );
  return times.slice(1).map((at, n) => at - (times[n] ?? Number.NaN));
}

const openWorkflows = async (): Promise<number> =>
  (await temporal.workflow.count(`ExecutionStatus = 'Running' AND WorkflowType != 'sweepMaintenance'`)).count;

async function mostOpenUntil(over: Promise<unknown>): Promise<number> {
  const ended = over.then(() => 'over' as const);
  let most = 0;
  for (;;) {
    const looked = await Promise.race([ended, openWorkflows()]);
    if (looked === 'over') return most;
    most = Math.max(most, looked);
    await delay(SAMPLE_MS); // the count itself must not be what is measured
  }
}

function residentBytes(): Record<string, number> {
  const sizes = Object.entries(pids).map(([name, pid]) => {
    const [, kibibytes = 'NaN'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return [name, Number(kibibytes) * 1024];
  });
  return Object.fromEntries(sizes) as Record<string, number>;
}

test(`${CROWD} messages wait on one key: rows and no workflow`, { timeout: TIMEOUT_MS }, async () => {
  await measureCalls(probe, 5); // the first ones warm the processes up
  const alone = await measureCalls(probe, PROBES);
  const smallId = await crowd('small', SMALL);
  const smallGaps = await drain('small', smallId, SMALL);
  const before = residentBytes();

  const startedAt = performance.now();
  const crowdId = await crowd('crowd', CROWD);
  const publishedMs = performance.now() - startedAt;
  await expect.poll(openWorkflows, { timeout: PATIENCE_MS }).toBe(0);
  const after = residentBytes();
  const beside = await measureCalls(probe, PROBES);
  const { db, tenant } = processes.database;
  const looks = await measureCalls(async () => {
    await db.oneStatement(tenant, (tx) => grantWaiting(tx, crowdId));
  }, GRANTS);
  const draining = drain('crowd', crowdId, DRAINED);
  const [during, gaps, mostOpen] = await Promise.all([measureCalls(probe, PROBES), draining, mostOpenUntil(draining)]);
  // One is in flight, a probe is, and some are about to end; the visibility that counts them is a little late.
  expect(mostOpen).toBeLessThan(OPEN_MAX);
  await expect.poll(openWorkflows, { timeout: PATIENCE_MS }).toBe(0);
  const settled = async (): Promise<{ known: number; inFlight: number }> => {
    const { waiting, inFlight } = await keyOf(crowdId);
    return { known: waiting + [...arrivals.keys()].filter((body) => body.startsWith('crowd ')).length, inFlight };
  };
  await expect.poll(settled, { timeout: PATIENCE_MS }).toEqual({ known: CROWD, inFlight: 0 });
  const [queue] = await processes.database.asOwner<{ bytes: number }>(
    `SELECT pg_total_relation_size('flow_control_queue')::int AS bytes`,
  );

  const figures: Record<string, number[]> = {
    'another key, nobody waits': alone,
    'another key, the crowd waits': beside,
    'another key, the crowd is delivered': during,
    [`from one delivery to the next, ${SMALL} wait`]: smallGaps,
    [`from one delivery to the next, ${CROWD} wait`]: gaps,
    'a grant that finds the key paused': looks,
  };
  const inMebibytes = (sizes: Record<string, number>): string =>
    Object.entries(sizes)
      .map(([name, bytes]) => `${name} ${(bytes / MEBIBYTE).toFixed(0)}`)
      .join(', ');
  console.log(
    [
      ...Object.entries(figures).map(([name, latencies]) => row(name, summarize({ rounds: [latencies] }))),
      `open workflows while the crowd waits: 0; while it is delivered: at most ${mostOpen}`,
      `published in ${(publishedMs / 1_000).toFixed(1)} s; resident MiB before: ${inMebibytes(before)}; after: ${inMebibytes(after)}`,
      `flow_control_queue: ${((queue?.bytes ?? 0) / MEBIBYTE).toFixed(1)} MiB with its indexes`,
    ].join('\n'),
  );
  for (const name of ['api', 'worker']) {
    expect((after[name] ?? 0) - (before[name] ?? 0), `growth of the ${name}`).toBeLessThan(GROWTH_BYTES_MAX);
  }
  inForm({ short: () => undefined, full: () => boundsHold({ alone, beside, during, smallGaps, gaps }) })();
});

/** Far from noise: what grows with the crowd would be a hundred times as slow. */
function boundsHold(measured: Record<'alone' | 'beside' | 'during' | 'smallGaps' | 'gaps', number[]>): void {
  const p50 = (latencies: number[]): number => summarize({ rounds: [latencies] }).p50Ms;
  expect(p50(measured.beside)).toBeLessThan(3 * p50(measured.alone) + 100);
  expect(p50(measured.during)).toBeLessThan(3 * p50(measured.alone) + 100);
  expect(p50(measured.gaps)).toBeLessThan(3 * p50(measured.smallGaps) + 100);
}
