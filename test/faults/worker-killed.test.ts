import { describe, test } from 'vitest';
import { createAction, effectOf, invocationIn, invoke } from '../api/invocations/support.ts';
import type { JsonObject } from '../../domain/json.ts';
import { sentTo, untilSeen } from './seen.ts';
import { startApiProcess } from './separate-processes.ts';

/** Counted from the kill. */
const UNKNOWN_WITHIN_MS = 60_000;

/** The worker that is killed. What waits for its heartbeats is shorter than in production; a dispatch lost to a busy machine is unknown too. */
const KILLED = { HEARTBEAT_TIMEOUT_SECONDS: '4' };

const GOVERNED = '/hang?governed';
const PLAIN = '/hang?plain';
const VERIFIED = '/orders?answer=hang&visibleAfterMs=600000';
const ORDER = 'verified';

const { processes, target, api } = await startApiProcess();

/** SIGKILL of the worker process while the target holds three requests open; then another worker process. */
async function killTheWorker() {
  const worker = await processes.startWorker(KILLED);
  let killedAtMs = Number.POSITIVE_INFINITY;
  const invoked = async (url: string, config: JsonObject = {}, overrides: JsonObject = {}) => {
    const action = await createAction(
      api,
      { url: `${target.baseUrl}${url}`, ...config },
      { timeoutMs: 120_000, ...overrides },
    );
    const { status, invocation } = await invoke(api, action);
    return { status, invocation, afterKillMs: Date.now() - killedAtMs };
  };
  const verify = {
    request: { method: 'GET', url: `${target.baseUrl}/orders/${ORDER}` },
    expect: [{ path: 'body.state', op: 'eq', value: 'done' }],
  };
  const before = {
    governed: invoked(GOVERNED),
    plain: invoked(PLAIN, {}, { governed: false }),
    verified: invoked(VERIFIED, { body: { id: ORDER } }, { verify }),
  };
  await untilSeen(target, [GOVERNED, PLAIN, VERIFIED]);
  killedAtMs = Date.now();
  await worker.end('SIGKILL');
  const after = untilAccepted();
  await processes.startWorker();
  return { ...before, after };
}

/** While no worker takes it up it is answered 503, and nothing of it stays: the caller sends it again, with the same key. */
async function untilAccepted() {
  const action = await createAction(api, { url: `${target.baseUrl}/ok` });
  const path = `/api/v2/actions/${action}/invoke`;
  let reply = await api.post(path, { input: {} }, { 'Idempotency-Key': 'without-a-worker' });
  while (reply.status === 503) reply = await api.post(path, { input: {} }, { 'Idempotency-Key': 'without-a-worker' });
  return { invocation: invocationIn(reply) };
}

const replies = await killTheWorker();

describe.concurrent('SIGKILL of the worker process while the target holds a request open', () => {
  test('unknown in time, the caller answered, the rest held, the reconciliation under way', async ({ expect }) => {
    const { status, invocation, afterKillMs } = await replies.governed;
    expect(status).toBe(200);
    expect(invocation).toMatchObject({ status: 'unknown', grade: 'unknown', settledAt: null });
    expect(afterKillMs).toBeLessThan(UNKNOWN_WITHIN_MS);
    const nextRead = async () => (await effectOf(api, invocation)).reconciliation.nextAt;
    await expect.poll(nextRead).not.toBeNull();
    expect(await effectOf(api, invocation)).toMatchObject({
      stage: 'reconciling',
      outcome: 'unknown',
      grade: 'unknown',
      partialEffect: 'possible',
      unresolvedExposure: false,
      reconciliation: { exhausted: false },
      attempts: [{ kind: 'dispatch', status: 'abandoned', observedOutcome: 'unknown' }],
    });
    expect(await sentTo(target, GOVERNED)).toBe(1);
  });

  test('a plain one is unknown in time, and its caller is answered', async ({ expect }) => {
    const { status, invocation, afterKillMs } = await replies.plain;
    expect(status).toBe(200);
    expect(invocation).toMatchObject({ status: 'unknown', grade: 'unknown', effectId: null });
    expect(afterKillMs).toBeLessThan(UNKNOWN_WITHIN_MS);
    expect(await sentTo(target, PLAIN)).toBe(1);
  });

  test('one that declares a read-back is confirmed once its order can be seen', async ({ expect }) => {
    const { invocation } = await replies.verified;
    expect(invocation).toMatchObject({ status: 'unknown', grade: 'unknown' });
    // The provider's own records catch up.
    await fetch(`${target.baseUrl}/orders?catchingUp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: ORDER }),
    });
    const now = async () => invocationIn(await api.get(`/api/v2/actions/invocations/${invocation.id}`));
    await expect.poll(now, { interval: 200 }).toMatchObject({ grade: 'confirmed' });
    expect(await effectOf(api, invocation)).toMatchObject({
      stage: 'settled',
      verification: 'provider',
      unresolvedExposure: false,
      attempts: [
        { kind: 'dispatch', status: 'abandoned' },
        { kind: 'reconcile', status: 'completed', observedOutcome: 'succeeded' },
      ],
    });
    expect(await sentTo(target, VERIFIED)).toBe(1);
  });

  test('the next worker does once what was invoked while there was none', async ({ expect }) => {
    const { invocation } = await replies.after;
    expect(invocation).toMatchObject({ status: 'succeeded', grade: 'acknowledged' });
    expect(await sentTo(target, '/ok')).toBe(1);
  });
});
