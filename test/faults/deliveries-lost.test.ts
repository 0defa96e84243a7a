import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import { SCOPES } from '../../domain/scopes.ts';
import { messageWorkflowId } from '../../temporal/messages/deliver-message.ts';
import { SWEEP_SCHEDULE_ID } from '../../temporal/maintenance/sweep-maintenance.ts';
import { dataOf } from '../api/invocations/support.ts';
import { PATIENCE_MS, TEST_TIMEOUT_MS } from '../harness/patience.ts';
import type { Program } from '../harness/embedded-stack.ts';
import { Gateway, SeparateProcesses } from './separate-processes.ts';

/**
 * SIGKILL of the worker at each line of the crash table of a delivery (docs/messages.md, "How it runs"). Whatever the line: the message is
 * delivered, each call has an attempt of its own that was on record before it, at most one call more is made than without the crash, and what
 * follows the end follows once.
 */

/** The lease of the killed worker. The others have a minute, so that a busy machine loses none of their attempts. */
const KILLED = { HEARTBEAT_TIMEOUT_SECONDS: '4' };
/** What Temporal did not hand over is claimed half a minute after its time; a workflow that was not told looks after a minute. */
const BY_TIME_MS = 90_000 + PATIENCE_MS;

interface Call {
  messageId: string;
  /** The statuses of the message's attempts when the call arrived. */
  attempts: string[];
}
const calls = new Map<string, Call[]>();
const callsOf = (path: string): Call[] => calls.get(path) ?? [];
/** The status of an answer. A path without an entry answers 200. */
const replies = new Map<string, (call: number) => number | Promise<number>>();

const processes = await SeparateProcesses.start();
const { database } = processes;
const destination = createServer((request, response) => {
  const path = request.url ?? '';
  const messageId = String(request.headers['webhook-id']);
  request.resume().once('end', () => {
    void noted(path, messageId).then((status) => response.writeHead(status).end());
  });
});
await new Promise<void>((resolve) => destination.listen(0, '127.0.0.1', resolve));
afterAll(() => {
  destination.closeAllConnections();
  destination.close();
});
const urlOf = (path: string): string => `http://127.0.0.1:${(destination.address() as AddressInfo).port}${path}`;

const { key } = await database.db.withEnvironment(database.tenant, (tx) =>
  createApiKey(tx, { name: 'test', scopes: SCOPES }),
);
const api = (await processes.startApi()).as(key);

/** Returns the status of the answer. */
async function noted(path: string, messageId: string): Promise<number> {
  const call = { messageId, attempts: await attemptsOf(messageId) };
  calls.set(path, [...callsOf(path), call]);
  return (await replies.get(path)?.(callsOf(path).length)) ?? 200;
}

const workers: Program[] = [];
async function startWorker(environment: Record<string, string> = {}): Promise<Program> {
  const worker = await processes.startWorker(environment);
  workers.push(worker);
  return worker;
}
afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.end('SIGTERM'))));

async function attemptsOf(messageId: string): Promise<string[]> {
  const rows = await database.asOwner<{ status: string }>(
    'SELECT status FROM message_attempts WHERE message_id = $1 ORDER BY number',
    [messageId],
  );
  return rows.map(({ status }) => status);
}

async function statusOf(messageId: string): Promise<string | undefined> {
  const [row] = await database.asOwner<{ status: string }>('SELECT status FROM messages WHERE id = $1', [messageId]);
  return row?.status;
}

async function publish(path: string, given: object = {}): Promise<string> {
  const reply = await api.post('/api/v2/messages/publish', { url: urlOf(path), ...given });
  return dataOf(reply, z.object({ messageId: z.string() })).messageId;
}

/** Holds the answer to one call of a path until it is let go. */
function hold(path: string, held: number, statuses: readonly number[]): () => void {
  let letGo = (): void => undefined;
  const released = new Promise<void>((resolve) => (letGo = resolve));
  replies.set(path, async (call) => {
    if (call === held) await released;
    return statuses[call - 1] ?? 200;
  });
  return letGo;
}

async function untilCalled(path: string, times: number): Promise<void> {
  await expect.poll(() => callsOf(path).length, { timeout: PATIENCE_MS, interval: 20 }).toBe(times);
}

/** Each call found one attempt more on record than the call before it, and that one was under way. */
function expectRecordedBefore(path: string): void {
  const seen = callsOf(path).map(({ attempts }) => ({ number: attempts.length, last: attempts.at(-1) }));
  expect(seen.filter(({ last }) => last !== 'started')).toEqual([]);
  expect(new Set(seen.map(({ number }) => number)).size, 'one call of each attempt').toBe(seen.length);
}

await database.asOwner(`
  CREATE FUNCTION stand_still() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF TG_ARGV[0] = (SELECT m.kind FROM messages m WHERE m.id = NEW.message_id) THEN PERFORM pg_sleep(3600); END IF;
    RETURN NEW;
  END $$;
  CREATE FUNCTION stands_still() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(3600); RETURN true; END $$`);

const standing = () =>
  database.asOwner<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`,
  );

/** The worker stands still in the database until it is killed. Its connections die with it, and what they had not committed. */
async function killWhereItStands(worker: Program, drop: string): Promise<void> {
  await expect.poll(async () => (await standing()).length, { timeout: PATIENCE_MS, interval: 20 }).toBe(1);
  await worker.end('SIGKILL');
  for (const { pid } of await standing()) await database.asOwner('SELECT pg_terminate_backend($1)', [pid]);
  await database.asOwner(drop);
}

/** Where the worker stands still, and what the message shows in the end: its attempts, and how often it was called. */
const LINES: Record<string, { stop: string; attempts: string[]; called: number }> = {
  'before the claim commits': {
    stop: `BEFORE INSERT ON message_attempts FOR EACH ROW EXECUTE FUNCTION stand_still('message')`,
    attempts: ['completed'],
    called: 1,
  },
  'after the answer, before the settlement commits': {
    stop: `BEFORE UPDATE ON message_attempts FOR EACH ROW EXECUTE FUNCTION stand_still('message')`,
    attempts: ['abandoned', 'completed'],
    called: 2,
  },
  'after the settlement, before its callback is claimed': {
    stop: `BEFORE INSERT ON message_attempts FOR EACH ROW EXECUTE FUNCTION stand_still('callback')`,
    attempts: ['completed'],
    called: 1,
  },
};

describe('SIGKILL of the worker', { timeout: TEST_TIMEOUT_MS + BY_TIME_MS }, () => {
  test.each(Object.entries(LINES))('%s', async (line, { stop, attempts, called }) => {
    const path = `/${line.replaceAll(/\W+/g, '-')}`;
    await database.asOwner(`CREATE TRIGGER stand_still ${stop}`);
    const worker = await startWorker(KILLED);
    const messageId = await publish(path, { callbackUrl: urlOf(`${path}/callback`) });
    await killWhereItStands(worker, 'DROP TRIGGER stand_still ON message_attempts');
    expect(callsOf(`${path}/callback`)).toEqual([]);

    await startWorker();
    await untilCalled(`${path}/callback`, 1);
    expect(await statusOf(messageId)).toBe('delivered');
    expect(await attemptsOf(messageId)).toEqual(attempts);
    expect(callsOf(path)).toHaveLength(called);
    for (const seen of [path, `${path}/callback`]) expectRecordedBefore(seen);
    const callbackId = callsOf(`${path}/callback`)[0]?.messageId ?? '';
    await expect.poll(() => statusOf(callbackId), { timeout: PATIENCE_MS }).toBe('delivered');
  });

  /** An event, because the secrets of its subscription are read between the claim and the call. */
  test('after the claim, before it is sent', async () => {
    expect((await api.post('/api/v2/events/topics', { name: 'orders' })).status).toBe(201);
    const subscription = { url: urlOf('/claimed'), generateSecret: true };
    expect((await api.post('/api/v2/events/topics/orders/subscriptions', subscription)).status).toBe(201);
    await database.asOwner(
      'CREATE POLICY stand_still ON event_subscription_secrets AS RESTRICTIVE FOR SELECT TO PUBLIC USING (stands_still())',
    );
    const worker = await startWorker(KILLED);
    expect((await api.post('/api/v2/events', { topic: 'orders', type: 'order.paid', data: 1 })).status).toBe(201);
    await killWhereItStands(worker, 'DROP POLICY stand_still ON event_subscription_secrets');
    expect(callsOf('/claimed')).toEqual([]);

    await startWorker();
    await untilCalled('/claimed', 1);
    const messageId = callsOf('/claimed')[0]?.messageId ?? '';
    await expect.poll(() => statusOf(messageId), { timeout: PATIENCE_MS }).toBe('delivered');
    expect(await attemptsOf(messageId)).toEqual(['abandoned', 'completed']);
    expectRecordedBefore('/claimed');
  });

  test('while the target holds the call', async () => {
    const letGo = hold('/held', 1, []);
    const worker = await startWorker(KILLED);
    const messageId = await publish('/held');
    await untilCalled('/held', 1);
    await worker.end('SIGKILL');
    letGo();
    await startWorker();
    await expect.poll(() => statusOf(messageId), { timeout: PATIENCE_MS }).toBe('delivered');
    expect(await attemptsOf(messageId)).toEqual(['abandoned', 'completed']);
    expect(callsOf('/held')).toHaveLength(2);
    expectRecordedBefore('/held');
  });

  test('after the settlement, before anybody is told: the retry, the workflow and the run that waits come by time', async () => {
    const [temporal, gateway] = await Promise.all([processes.temporalClient(), Gateway.to(processes.temporal.port)]);
    const worker = await startWorker({ ...KILLED, TEMPORAL_ADDRESS: gateway.address });
    // The first attempt of one is about to fail, the second of another to succeed, and the run of a schedule waits for a third.
    const letGo = [hold('/unstarted', 1, [500]), hold('/untold', 2, [500]), hold('/buffered', 1, [])];
    const retries = { maxRetries: 1, retryDelay: '500' };
    const untold = await publish('/untold', retries);
    const unstarted = await publish('/unstarted', retries);
    const scheduleId = await scheduleWithAWaitingRun('/buffered');
    await untilCalled('/untold', 2);
    await untilCalled('/unstarted', 1);
    gateway.block();
    for (const go of letGo) go();
    await expect.poll(() => attemptsOf(unstarted), { timeout: PATIENCE_MS }).toEqual(['completed']);
    await expect.poll(() => statusOf(untold), { timeout: PATIENCE_MS }).toBe('delivered');
    const [first = ''] = callsOf('/buffered').map(({ messageId }) => messageId);
    await expect.poll(() => statusOf(first), { timeout: PATIENCE_MS }).toBe('delivered');
    await worker.end('SIGKILL');
    const workflowOf = (id: string) => temporal.workflow.getHandle(messageWorkflowId(id));
    await expect(workflowOf(unstarted).describe()).rejects.toThrow(WorkflowNotFoundError);
    expect((await workflowOf(untold).describe()).status.name).toBe('RUNNING');
    expect(await outcomesOf(scheduleId)).toEqual(['published', 'waiting']);

    await startWorker();
    await database.asOwner(`UPDATE workflow_starts SET due_at = now() WHERE kind = 'firing'`);
    await temporal.schedule.getHandle(SWEEP_SCHEDULE_ID).trigger();
    await expect.poll(() => statusOf(unstarted), { timeout: BY_TIME_MS }).toBe('delivered');
    await untilCalled('/buffered', 2);
    expect(await workflowOf(untold).result()).toEqual({ status: 'delivered' });
    expect(await outcomesOf(scheduleId)).toEqual(['published', 'published']);
    for (const path of ['/unstarted', '/untold', '/buffered']) {
      expect(callsOf(path), path).toHaveLength(2);
    }
    for (const path of ['/unstarted', '/untold']) expectRecordedBefore(path);
    expect(await attemptsOf(unstarted)).toEqual(['completed', 'completed']);
  });
});

/** Returns its id, once the message of its first run has arrived. */
async function scheduleWithAWaitingRun(path: string): Promise<string> {
  const given = { cron: '0 0 1 1 *', overlap: 'buffer_one', destination: { url: urlOf(path) } };
  const { id } = dataOf(await api.post('/api/v2/schedules', given), z.object({ id: z.string() }));
  expect((await api.post(`/api/v2/schedules/${id}/run`, {})).status).toBe(202);
  await untilCalled(path, 1);
  await database.asOwner(
    `INSERT INTO schedule_runs (environment_id, schedule_id, trigger, nominal_at, outcome, error_code, error_message, fired_at)
     VALUES ($1, $2, 'schedule', '2026-01-01T00:00:00Z', 'waiting', 'OVERLAP', 'planted', now())`,
    [database.tenant.environmentId, id],
  );
  return id;
}

async function outcomesOf(scheduleId: string): Promise<string[]> {
  const rows = await database.asOwner<{ outcome: string }>(
    'SELECT outcome FROM schedule_runs WHERE schedule_id = $1 ORDER BY outcome',
    [scheduleId],
  );
  return rows.map(({ outcome }) => outcome);
}
