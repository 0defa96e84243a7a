import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { Workers, WorkerState } from '../../../api/dependencies.ts';
import { REPLY_MARGIN_MS } from '../../../api/invocations/invoke.ts';
import { LOOK_INTERVAL_MS, withdrawWhereLeftLying } from '../../../api/invocations/withdraw-left-lying.ts';
import { INVOKES_OF_A_WORKSPACE_MAX } from '../../../db/announcements/settlement-hub.ts';
import { startTestApi } from '../harness/test-api.ts';
import { type Caller, createAction, errorOf, invocationIn, invocationsIn } from './support.ts';

/** The reply waits this long, and ten seconds more, where nothing ends the wait. */
const TIMEOUT_MS = 120_000;

/** The state of the workers that the API sees; each test sets it. */
class ToldWorkers implements Workers {
  state: WorkerState = 'up';
  lies: (workflowId: string) => Promise<boolean> = () => Promise.resolve(true);
  look = () => Promise.resolve(this.state);
  isLeftLying = (workflowId: string) => this.lies(workflowId);
}

const workers = new ToldWorkers();

const api = await startTestApi({ workers, taskQueue: `nobody-polls-${process.pid}` });
const { key } = await api.createKey(api.database.tenant);
const caller: Caller = {
  post: (path, body, headers = {}) => api.call('POST', path, { key, body, headers }),
  get: (path) => api.call('GET', path, { key }),
};

const rows = () => api.database.asOwner<{ id: string; status: string }>('SELECT id, status FROM invocations');
const used = async () =>
  (await api.database.asOwner<{ used: string }>(`SELECT COALESCE(sum(used), 0)::text AS used FROM monthly_usage`))[0]
    ?.used;

async function invokeOnce(timeoutMs = TIMEOUT_MS, body: object = { input: {} }) {
  const action = await createAction(caller, { url: 'http://127.0.0.1:9/' }, { timeoutMs });
  return caller.post(`/api/v2/actions/${action}/invoke`, body);
}

describe('an invocation that no worker takes up', () => {
  /** A busy machine may take longer than it promises, so the time itself is not measured here. */
  test('is first looked after in time for an answer within five seconds', () => {
    expect(LOOK_INTERVAL_MS + 1_000).toBeLessThan(5_000);
  });

  test('is answered 503, and nothing of it stays', async () => {
    const before = await used();
    const reply = await invokeOnce();
    expect([reply.status, errorOf(reply).code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(errorOf(reply).message).toContain('nothing was sent');
    expect(await rows()).toEqual([]);
    expect(await used()).toBe(before);
  });

  test('is not even started where nobody polls for a while', async () => {
    workers.state = 'none';
    try {
      const reply = await invokeOnce();
      expect([reply.status, errorOf(reply).code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(await rows()).toEqual([]);
    } finally {
      workers.state = 'up';
    }
  });

  test('is answered 503 also where that is found out as the wait ends', async () => {
    workers.lies = async () => {
      await delay(REPLY_MARGIN_MS);
      return true;
    };
    try {
      const reply = await invokeOnce(1);
      expect([reply.status, errorOf(reply).code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(await rows()).toEqual([]);
    } finally {
      workers.lies = () => Promise.resolve(true);
    }
  });

  test('is told to nobody who asked for the same operation and waited less long than that takes', async () => {
    workers.lies = async () => {
      await delay(REPLY_MARGIN_MS);
      return true;
    };
    try {
      const action = await createAction(caller, { url: 'http://127.0.0.1:9/' }, { timeoutMs: 1 });
      const invoke = () => caller.post(`/api/v2/actions/${action}/invoke`, { input: {}, operationKey: 'impatient' });
      const first = invoke();
      await expect.poll(async () => (await rows()).length).toBe(1);
      const replies = await Promise.all([invoke(), first]);
      expect(replies.map(({ status }) => status)).toEqual([503, 503]);
      expect(await rows()).toEqual([]);
    } finally {
      workers.lies = () => Promise.resolve(true);
    }
  });

  test('is left to a worker of the same process, which is only late', async () => {
    const first = invokeOnce();
    await expect.poll(async () => (await rows()).length).toBe(1);
    const [found] = await rows();
    const lookedAt = async (eagerStart: boolean): Promise<boolean> => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      try {
        const end = withdrawWhereLeftLying(
          { ...api.deps, eagerStart: () => eagerStart },
          api.database.tenant,
          found?.id ?? '',
        );
        vi.advanceTimersByTime(LOOK_INTERVAL_MS);
        return await end();
      } finally {
        vi.useRealTimers();
      }
    };
    expect([await lookedAt(true), await lookedAt(false)]).toEqual([false, true]);
    expect((await first).status).toBe(503);
  });

  test('wakes who waits for the same operation', async () => {
    const action = await createAction(caller, { url: 'http://127.0.0.1:9/' }, { timeoutMs: TIMEOUT_MS });
    const invoke = () => caller.post(`/api/v2/actions/${action}/invoke`, { input: {}, operationKey: 'twice' });
    const first = invoke();
    await expect.poll(async () => (await rows()).length).toBe(1);
    const replies = await Promise.all([first, invoke()]);
    expect(replies.map(({ status }) => status)).toEqual([503, 503]);
    expect(await rows()).toEqual([]);
  });
});

test('a caller that may not wait is not told of what the first one may still withdraw', async () => {
  const action = await createAction(caller, { url: 'http://127.0.0.1:9/' }, { timeoutMs: TIMEOUT_MS });
  const invoke = () => caller.post(`/api/v2/actions/${action}/invoke`, { input: {}, operationKey: 'crowded' });
  const first = invoke();
  await expect.poll(async () => (await rows()).length).toBe(1);
  const places = Array.from({ length: INVOKES_OF_A_WORKSPACE_MAX }, () =>
    api.deps.settlements.takePlace(api.database.tenant.workspaceId),
  );
  const second = await invoke();
  for (const leave of places) leave?.();
  expect([second.status, errorOf(second).message]).toEqual([503, expect.stringContaining('waits to be started')]);
  expect((await first).status).toBe(503);
});

describe('a worker comes back while its absence is being found out', () => {
  test('what it has evaluated is not withdrawn, and nobody is told that nothing was sent', async () => {
    workers.lies = async () => {
      // The evaluation commits between the question and the withdrawal.
      await api.database.asOwner('UPDATE invocations SET evaluated_at = now()');
      return true;
    };
    const reply = await invokeOnce(1);
    expect(reply.status).toBe(202);
    const { id } = invocationIn(reply);
    expect(invocationsIn(await caller.get('/api/v2/actions/invocations')).map((one) => one.id)).toEqual([id]);
  });
});
