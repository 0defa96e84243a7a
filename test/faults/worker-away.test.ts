import { describe, expect, test } from 'vitest';
import { createAction, errorOf, invocationIn } from '../api/invocations/support.ts';
import { call } from '../api/harness/test-api.ts';
import { freePort } from '../../embedded/ports.ts';
import type { Program } from '../harness/embedded-stack.ts';
import { startTarget } from '../harness/target.ts';
import { SeparateProcesses } from './separate-processes.ts';

/** Where a worker is there, an invocation waits longer than this for its end. */
const ACTION_TIMEOUT_MS = 120_000;
/** Five seconds are promised; the rest is for a busy machine. */
const ANSWERED_WITHIN_MS = 20_000;

let worker: Program;
let healthUrl: string;

const startWorker = async (): Promise<void> => {
  const address = `127.0.0.1:${await freePort()}`;
  healthUrl = `http://${address}`;
  worker = await processes.startWorker({ HEALTH_ADDRESS: address });
};
const ready = async (): Promise<[number, unknown]> => {
  const { status, json } = await api.get('/readyz');
  const { data, error } = json as {
    data?: { checks: object };
    error?: { details: { checks: object } };
  };
  return [status, data?.checks ?? error?.details.checks];
};
const checks = { database: 'up', temporal: 'up', setup: 'up' };
const sent = async (): Promise<number> => (await target.requests('/ok')).length;
const rows = () =>
  processes.database.asOwner<{ id: string }>('SELECT id FROM invocations WHERE status = $1', ['queued']);
const invoke = async (idempotencyKey: string) => {
  const startedAtMs = Date.now();
  const reply = await api.post(
    `/api/v2/actions/${action}/invoke`,
    { input: {} },
    { 'Idempotency-Key': idempotencyKey },
  );
  return { reply, tookMs: Date.now() - startedAtMs };
};

const [processes, target] = await Promise.all([SeparateProcesses.start(), startTarget()]);
const temporal = await processes.temporalClient();
const api = await processes.startApi();
const action = await createAction(api, { url: `${target.baseUrl}/ok` }, { timeoutMs: ACTION_TIMEOUT_MS });
describe('a worker that is away', () => {
  test('was never there: not ready, and an invocation is refused at once', async () => {
    expect(await ready()).toEqual([503, { ...checks, workers: 'none' }]);
    const { reply } = await invoke('before-any-worker');
    expect([reply.status, errorOf(reply).code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(await rows()).toEqual([]);
  });

  test('is there: both are ready, and the refused request is sent once', async () => {
    await startWorker();
    await expect.poll(ready).toEqual([200, { ...checks, workers: 'up' }]);
    expect((await call(`${healthUrl}/healthz`, 'GET')).status).toBe(200);
    expect(await call(`${healthUrl}/readyz`, 'GET')).toMatchObject({
      status: 200,
      json: { data: { status: 'ready', checks: { database: 'up', temporal: 'up', worker: 'up' } } },
    });
    expect((await call(`${healthUrl}/metrics`, 'GET')).status).toBe(404);
    const { reply } = await invoke('before-any-worker');
    expect([reply.status, invocationIn(reply).status]).toEqual([200, 'succeeded']);
    expect(await sent()).toBe(1);
  });

  test('its health port is no destination of an action', async () => {
    const probe = await createAction(api, { url: `${healthUrl}/readyz` });
    const reply = await api.post(`/api/v2/actions/${probe}/invoke`, { input: {} });
    expect(JSON.stringify(reply.json)).toContain('destination_blocked');
  });

  test('is killed: the caller is told soon, and a worker that comes back sends nothing of it', async () => {
    await worker.end('SIGKILL');
    const waiting = invoke('while-away');
    await expect.poll(async () => (await rows()).length).toBe(1);
    const [queued] = await rows();
    const { reply, tookMs } = await waiting;
    expect([reply.status, errorOf(reply).message]).toEqual([503, expect.stringContaining('nothing was sent')]);
    expect(tookMs).toBeLessThan(ANSWERED_WITHIN_MS);
    await startWorker();
    // Its workflow was started. It ends without a receipt, because its admission is gone.
    const handle = temporal.workflow.getHandle(`invocation/${queued?.id}`);
    expect(await handle.result()).toBeNull();
    expect(await sent()).toBe(1);
    const again = await invoke('while-away');
    expect([again.reply.status, invocationIn(again.reply).status]).toEqual([200, 'succeeded']);
    expect(await sent()).toBe(2);
  });

  test('is stopped: not ready once nobody has polled for thirty seconds', async () => {
    expect(await worker.end('SIGTERM')).toBe(0);
    await expect.poll(ready).toEqual([503, { ...checks, workers: 'none' }]);
    await startWorker();
    await expect.poll(ready).toEqual([200, { ...checks, workers: 'up' }]);
  });
});
