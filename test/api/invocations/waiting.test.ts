import { setMaxListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { INVOKES_OF_A_WORKSPACE_MAX, POLLS_OF_A_WORKSPACE_MAX } from '../../../db/announcements/settlement-hub.ts';
import { newId } from '../../../domain/ids.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { createAction, errorOf, type Invocation, invocationIn, invoke } from './support.ts';
import { countRows } from '../harness/count-rows.ts';

const [service, target] = await Promise.all([startTestService(), startTarget()]);
const approver = (await service.createKey(service.database.tenant)).key;

const waiting = () => service.deps.settlements.waiting;
const pathOf = (id: string): string => `/api/v2/actions/invocations/${id}`;
const seconds = (startedAt: number): number => (performance.now() - startedAt) / 1000;

async function parked(headers: Record<string, string> = {}): ReturnType<typeof invoke> {
  const action = await createAction(service, { url: `${target.baseUrl}/ok` }, { approval: { required: true } });
  return invoke(service, action, { input: {} }, headers);
}

async function deny({ approvalId }: Invocation): Promise<void> {
  const body = { note: 'Not this one.' };
  const reply = await service.call('POST', `/api/v2/approvals/${approvalId}/deny`, { key: approver, body });
  expect(reply.status).toBe(200);
}

describe('a 202', () => {
  test('says where the result will be and when to look, the first time and when it is replayed', async () => {
    const action = await createAction(service, { url: `${target.baseUrl}/ok` }, { approval: { required: true } });
    const headers = { 'Idempotency-Key': 'parked-and-replayed' };
    const replies = [await invoke(service, action, { input: {} }, headers)];
    replies.push(await invoke(service, action, { input: {} }, headers));
    expect(replies[1]?.headers.get('X-Idempotent-Replay')).toBe('true');
    for (const { status, headers: sent, invocation } of replies) {
      expect([status, sent.get('Location'), sent.get('Retry-After')]).toEqual([202, pathOf(invocation.id), '30']);
      expect(invocationIn(await service.get(sent.get('Location') ?? '')).id).toBe(invocation.id);
    }
  });

  test('is the only reply that does', async () => {
    const { status, headers } = await invoke(service, await createAction(service, { url: `${target.baseUrl}/ok` }));
    expect([status, headers.get('Location'), headers.get('Retry-After')]).toEqual([200, null, null]);
  });
});

describe('GET /actions/invocations/{id}?wait=', () => {
  test('answers a parked invocation as soon as it is denied', async () => {
    const { invocation } = await parked();
    const startedAt = performance.now();
    const waited = service.get(`${pathOf(invocation.id)}?wait=60`);
    await expect.poll(waiting).toBe(1);
    await deny(invocation);
    expect(invocationIn(await waited).status).toBe('denied');
    expect(seconds(startedAt)).toBeLessThan(50);
    expect(waiting()).toBe(0);
  });

  test('answers with what there is once its time is over, at once without one, and at once what has ended', async () => {
    const { invocation } = await parked();
    const startedAt = performance.now();
    expect(invocationIn(await service.get(`${pathOf(invocation.id)}?wait=1`)).status).toBe('pending_approval');
    expect(seconds(startedAt)).toBeGreaterThanOrEqual(0.99);
    expect(invocationIn(await service.get(pathOf(invocation.id))).status).toBe('pending_approval');
    await deny(invocation);
    expect(invocationIn(await service.get(`${pathOf(invocation.id)}?wait=60`)).status).toBe('denied');
    expect(waiting()).toBe(0);
  });

  test('answers an unknown one once a person has recorded its outcome', async () => {
    const action = await createAction(service, { url: `${target.baseUrl}/reset` }, { governed: false });
    const { invocation } = await invoke(service, action);
    const waited = service.get(`${pathOf(invocation.id)}?wait=60`);
    await expect.poll(waiting).toBe(1);
    const body = { outcome: 'succeeded', evidence: { summary: 'looked it up' } };
    await service.call('POST', `${pathOf(invocation.id)}/resolve`, { key: approver, body });
    expect(invocationIn(await waited).status).toBe('succeeded');
  });

  test('refuses a wait out of its bounds, and answers 404 at once for none and for one of another environment', async () => {
    const { invocation } = await parked();
    for (const wait of ['61', '-1', '1.5', 'x']) {
      const reply = await service.get(`${pathOf(invocation.id)}?wait=${wait}`);
      expect([reply.status, errorOf(reply).code]).toEqual([400, 'VALIDATION_ERROR']);
    }
    expect((await service.get(`${pathOf(newId('invocation'))}?wait=60`)).status).toBe(404);
    const { key } = await service.createKey(service.database.tenants.staging);
    expect((await service.call('GET', `${pathOf(invocation.id)}?wait=60`, { key })).status).toBe(404);
    expect(waiting()).toBe(0);
  });

  test('holds no connection of the database: many wait, and another request is answered', async () => {
    const { invocation } = await parked();
    const many = Array.from({ length: 60 }, () => service.get(`${pathOf(invocation.id)}?wait=60`));
    await expect.poll(waiting).toBe(many.length);
    const idle = `pg_stat_activity
       WHERE datname = current_database() AND usename <> current_user AND state LIKE 'idle in transaction%'`;
    expect(await countRows(service.database, idle)).toBe(0);
    await deny(invocation);
    for (const reply of await Promise.all(many)) expect(invocationIn(reply).status).toBe('denied');
  });

  test('of a workspace that waits too often answers one more at once, with what there is', async () => {
    const { invocation } = await parked();
    const { workspaceId } = service.database.tenant;
    const left = new AbortController();
    setMaxListeners(0, left.signal);
    const polls = Array.from({ length: POLLS_OF_A_WORKSPACE_MAX }, () =>
      service.deps.settlements.poll(workspaceId, 'inv_other', PATIENCE_MS, left.signal),
    );
    try {
      const startedAt = performance.now();
      const reply = invocationIn(await service.get(`${pathOf(invocation.id)}?wait=60`));
      expect([reply.status, seconds(startedAt) < 50]).toEqual(['pending_approval', true]);
    } finally {
      left.abort();
      await Promise.all(polls);
    }
    const waited = service.get(`${pathOf(invocation.id)}?wait=60`);
    await expect.poll(waiting).toBe(1); // the places are free again
    await deny(invocation);
    expect(invocationIn(await waited).status).toBe('denied');
  });
});

describe('POST /actions/{ref}/invoke', () => {
  test('of a workspace that waits for as many as it may is answered at once, and again waits once one has ended', async () => {
    const { settlements } = service.deps;
    const hung = await createAction(service, { url: `${target.baseUrl}/hang` }, { timeoutMs: 120_000 });
    const others = Array.from({ length: INVOKES_OF_A_WORKSPACE_MAX - 1 }, () =>
      settlements.takePlace(service.database.tenant.workspaceId),
    );
    try {
      expect(others).not.toContain(null);
      const first = invoke(service, hung);
      await expect.poll(() => target.requests('/hang')).toHaveLength(1);
      const startedAt = performance.now();
      const { status, headers, invocation } = await invoke(service, hung);
      expect([status, headers.get('Location'), seconds(startedAt) < 50]).toEqual([202, pathOf(invocation.id), true]);
      expect(['queued', 'dispatching']).toContain(invocation.status);
      expect(settlements.takePlace('another workspace')).not.toBeNull();

      await expect.poll(() => target.requests('/hang')).toHaveLength(2);
      await target.release();
      expect((await first).status).toBe(200);
      expect(invocationIn(await service.get(`${pathOf(invocation.id)}?wait=60`)).status).toBe('succeeded');
      const next = await invoke(service, await createAction(service, { url: `${target.baseUrl}/ok` }));
      expect([next.status, next.invocation.status]).toEqual([200, 'succeeded']);
    } finally {
      await target.release();
      for (const leave of others) leave?.();
    }
  });
});
