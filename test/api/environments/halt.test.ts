import { setTimeout as delay } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { CallSlots } from '../../../activities/call-slots.ts';
import { LaneTakers } from '../../../activities/lane-takers.ts';
import { HEARTBEAT_TIMEOUT_MS } from '../../../domain/heartbeats.ts';
import { createAdapters } from '../../../activities/adapters/index.ts';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { dispatchEffect } from '../../../activities/invocations/dispatch-effect.ts';
import { judgeInvocation } from '../../../activities/invocations/judge-invocation.ts';
import { settleInvocation } from '../../../activities/invocations/settle-invocation.ts';
import { getAction } from '../../../db/actions/queries.ts';
import { admitInvocation } from '../../../db/invocations/admission.ts';
import { LOOPBACK_EGRESS, parseEgressAllow } from '../../../domain/egress.ts';
import type { InvocationRef } from '../../../domain/refs.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { newId } from '../../../domain/ids.ts';
import { plantKeys } from '../../harness/keys.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import {
  createAction,
  type Effect,
  effectOf,
  errorOf,
  invocationIn,
  invocationsIn,
  invoke,
} from '../invocations/support.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { WATCHDOG } from '../../harness/watchdog.ts';
import { NO_PAYMENT_PROVIDER } from '../../../domain/billing/payment-provider.ts';
import { PRICE_LIST } from '../../../domain/billing/price-list.ts';
import { NOTHING_RECORDED } from '../../../domain/metrics/recorder.ts';
import { countRows } from '../harness/count-rows.ts';

/** A halt holds from its reply on, on every process. Two API processes and a worker share one database. */

const [service, target] = await Promise.all([startTestService(), startTarget()]);
const second = await startTestApi({ database: service.database, taskQueue: service.taskQueue });
afterEach(async () => {
  await resume();
  await target.reset();
});

const environmentPath = (): string => {
  const { workspaceId, environmentId } = service.database.tenant;
  return `/api/v2/workspaces/${workspaceId}/environments/${environmentId}`;
};

async function halt(reason = 'the provider is down'): Promise<void> {
  const reply = await service.post(`${environmentPath()}/halt`, { reason });
  expect(reply.status).toBe(200);
}

async function resume(): Promise<void> {
  expect((await service.post(`${environmentPath()}/resume`, {})).status).toBe(200);
}

async function attempts(): Promise<{ all: number; sent: number }> {
  const rows = await service.database.asOwner<{ all: number; sent: number }>(
    `SELECT count(*)::int AS all, count(*) FILTER (WHERE claimed_at IS NOT NULL AND refusal IS NULL)::int AS sent FROM attempts`,
  );
  return rows[0] ?? { all: -1, sent: -1 };
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await delay(10);
  }
}

const REFUSED = 'dispatch refused (environment_halted): the provider is down';

/** An invocation whose workflow has not begun, with the input of its activities, so that a test can run them one by one. */
async function admitted(): Promise<{ ref: InvocationRef; deps: ActivityDependencies }> {
  const { db } = service.deps;
  const unused = (): never => {
    throw new Error('no activity of an invocation asks for this');
  };
  const deps: ActivityDependencies = {
    db,
    vault: { open: unused, seal: unused, digests: unused },
    adapterFor: createAdapters({ egressAllow: parseEgressAllow(LOOPBACK_EGRESS) }),
    startInvocation: unused,
    startReads: unused,
    cancelInvocation: unused,
    wakeApproval: unused,
    wakeMessage: unused,
    tellMessage: unused,
    wakeDeadLetterJob: unused,
    wakeMemoryJob: unused,
    embedder: service.deps.embedder,
    fanOutEvent: unused,
    sendEmail: unused,
    putSchedule: unused,
    forgetSchedule: unused,
    startFiring: unused,
    paceMessages: unused,
    tellWaiter: unused,
    inFlightCaps: { dispatch: 20, delivery: 20, provider_read: 10, notification: 10, maintenance: 5 },
    laneTakers: new LaneTakers(),
    dispatchSlots: new CallSlots(100),
    heartbeatTimeoutMs: HEARTBEAT_TIMEOUT_MS,
    sendRequest: unused,
    files: service.deps.files,
    chat: { slack: unused, discord: unused, respond: unused },
    mailer: null,
    prices: PRICE_LIST,
    payments: NO_PAYMENT_PROVIDER,
    metrics: NOTHING_RECORDED,
    closeBillingMonth: unused,
    pagesUrl: null,
    watchdog: WATCHDOG,
    logger: service.deps.logger,
  };
  const { tenant } = service.database;
  const keyId = newId('apiKey');
  await plantKeys(service.database, tenant, [keyId]);
  const name = await createAction(service, { url: `${target.baseUrl}/ok` });
  const { id: invocationId } = await db.withEnvironment(tenant, async (tx) => {
    const action = await getAction(tx, name);
    if (action === null) throw new Error('the action is gone');
    return admitInvocation(tx, {
      actionId: action.id,
      versionId: action.currentVersion.id,
      operationKey: null,
      requestDigest: 'sha256:none',
      input: {},
      requestedBy: { type: 'api_key', id: keyId },
      retryOf: null,
      runId: null,
      agentId: null,
    });
  });
  return { ref: { ...tenant, invocationId }, deps };
}

async function expectRefused({ invocationId }: InvocationRef): Promise<void> {
  const invocation = invocationIn(await service.get(`/api/v2/actions/invocations/${invocationId}`));
  expect(invocation).toMatchObject({ status: 'refused', grade: 'refused', error: REFUSED });
  expect(await effectOf(service, invocation)).toMatchObject({
    grade: 'refused',
    rejectionReason: 'environment_halted',
  });
  expect(await target.requests('/ok')).toEqual([]);
}

describe('while an environment is halted', () => {
  test.each([
    ['governed', true],
    ['plain', false],
  ])('an invocation of a %s action is refused by every process, and nothing is sent', async (_kind, governed) => {
    const action = await createAction(service, { url: `${target.baseUrl}/ok` }, { governed });
    await halt();
    const before = await attempts();
    const receipts: Effect[] = [];
    for (const api of [second, service]) {
      const reply = await api.call('POST', `/api/v2/actions/${action}/invoke`, {
        key: service.key,
        body: { input: {} },
      });
      const invocation = invocationIn(reply);
      expect(reply.status).toBe(200);
      expect(invocation).toMatchObject({ status: 'refused', grade: 'refused', error: REFUSED, result: null });
      expect(invocation.effectId === null).toBe(!governed);
      if (invocation.effectId !== null) receipts.push(await effectOf(service, invocation));
    }
    expect(receipts).toHaveLength(governed ? 2 : 0);
    for (const receipt of receipts) {
      expect(receipt).toMatchObject({
        stage: 'rejected',
        outcome: 'not_dispatched',
        grade: 'refused',
        rejectionReason: 'environment_halted',
      });
    }
    expect(await attempts()).toEqual(before);
    expect(await target.requests('/ok')).toEqual([]);
  });

  test('reading, writing and deleting work', async () => {
    const action = await createAction(service, { url: `${target.baseUrl}/ok` });
    await service.call('PUT', '/api/v2/secrets/UNUSED', { key: service.key, body: { value: 'x' } });
    await halt();
    expect((await service.get(`/api/v2/actions/${action}`)).status).toBe(200);
    expect((await service.get('/api/v2/actions/invocations')).status).toBe(200);
    expect((await service.call('DELETE', '/api/v2/secrets/UNUSED', { key: service.key })).status).toBe(200);
    expect((await service.call('DELETE', `/api/v2/actions/${action}`, { key: service.key })).status).toBe(200);
  });

  test('another environment of the workspace goes on', async () => {
    await halt();
    const { key } = await service.createKey(service.database.tenants.staging);
    const body = {
      name: 'elsewhere',
      adapter: { type: 'http.request', config: { method: 'POST', url: `${target.baseUrl}/ok` } },
    };
    await service.call('POST', '/api/v2/actions', { key, body });
    const reply = await service.call('POST', '/api/v2/actions/elsewhere/invoke', { key, body: { input: {} } });
    expect(invocationIn(reply)).toMatchObject({ status: 'succeeded' });
  });

  test('work that was dispatched before is waited for and settled as usual, and does not hold the halt up', async () => {
    const action = await createAction(service, { url: `${target.baseUrl}/hang` });
    const underWay = invoke(service, action);
    await until('the target has the request', async () => (await target.requests('/hang')).length === 1);
    await halt();
    await target.release();
    expect((await underWay).invocation).toMatchObject({ status: 'succeeded', grade: 'acknowledged' });
  });

  test('resuming lets invocations through; what was refused stays refused, and is run again by retryOf', async () => {
    const action = await createAction(service, { url: `${target.baseUrl}/ok` });
    await halt();
    const { invocation: refused } = await invoke(service, action, { input: {}, operationKey: 'while-halted' });
    await resume();
    const again = await second.call('POST', `/api/v2/actions/${action}/invoke`, {
      key: service.key,
      body: { input: {}, operationKey: 'while-halted' },
    });
    expect(invocationIn(again)).toMatchObject({ id: refused.id, status: 'refused', error: REFUSED });
    const { invocation: retried } = await invoke(service, action, { input: {}, retryOf: refused.id });
    expect(retried).toMatchObject({ status: 'succeeded', retryOf: refused.id });
    expect(await target.requests('/ok')).toHaveLength(1);
  });
});

describe('a halt that comes between', () => {
  test('fifty invocations at once: from its reply on no attempt is started and nothing is taken up to be sent', async () => {
    // The target holds what is sent, and a workspace has 20 in flight: some are left for the halt on the fastest machine.
    const action = await createAction(service, { url: `${target.baseUrl}/hang` }, { timeoutMs: 120_000 });
    const before = await attempts();
    const calls: Promise<CallResult>[] = Array.from({ length: 50 }, (_value, n) =>
      (n % 2 === 0 ? service : second).call('POST', `/api/v2/actions/${action}/invoke`, {
        key: service.key,
        body: { input: {} },
      }),
    );
    await until('some are sent', async () => (await attempts()).sent - before.sent >= 5);
    await halt();
    const atReply = await attempts();
    const asked = Promise.all(calls).then((replies) => replies.map((reply) => invocationIn(reply).id));
    const list = `/api/v2/actions/${action}/invocations?limit=100`;
    await until('all have ended', async () => {
      await target.release(); // again and again: what was taken up before the halt may reach the target late
      const listed = invocationsIn(await service.get(list));
      return listed.length === 50 && listed.every(({ status }) => !['queued', 'dispatching'].includes(status));
    });
    const invocations = invocationsIn(await service.get(list));
    expect(invocations.map(({ id }) => id).toSorted()).toEqual((await asked).toSorted());
    const atEnd = await attempts();
    expect(atEnd.all).toBe(atReply.all);
    expect(atEnd.sent).toBeLessThanOrEqual(atReply.sent);
    const sent = atEnd.sent - before.sent;
    expect(await target.requests('/hang')).toHaveLength(sent);
    const by = (status: string): number => invocations.filter((invocation) => invocation.status === status).length;
    expect([by('succeeded'), by('refused')]).toEqual([sent, 50 - sent]);
    expect(by('refused')).toBeGreaterThan(0);
    const errors = invocations.flatMap(({ status, error }) => (status === 'refused' ? [error] : []));
    expect(new Set(errors)).toEqual(new Set([REFUSED]));

    const next = await createAction(service, { url: `${target.baseUrl}/ok` });
    await invoke(service, next);
    expect(await target.requests('/ok')).toEqual([]);
    await resume();
    expect((await invoke(service, next)).invocation.status).toBe('succeeded');
    expect(await target.requests('/ok')).toHaveLength(1);
  });

  test('admission and mark: nothing is marked, and the receipt says why', async () => {
    const { ref, deps } = await admitted();
    const before = await attempts();
    await halt();
    expect(await judgeInvocation(deps, ref)).toMatchObject({
      next: 'ended',
      state: { status: 'refused', refusal: 'environment_halted' },
    });
    expect(await attempts()).toEqual(before);
    await expectRefused(ref);
  });

  test('mark and send, while no worker was there to take it up: nothing is sent, and the receipt says why', async () => {
    const { ref, deps } = await admitted();
    expect(await judgeInvocation(deps, ref)).toMatchObject({ next: 'send' });
    await halt();
    await new MockActivityEnvironment().run(dispatchEffect(deps), ref);
    await settleInvocation(deps)(ref);
    await expectRefused(ref);
  });

  test('waits for a mark under way, and a mark that comes later waits for it', async () => {
    const { tenant, db } = service.database;
    const events: string[] = [];
    let commit = (): void => {};
    const mayCommit = new Promise<void>((resolve) => (commit = resolve));
    let mark = (): void => {};
    const isMarked = new Promise<void>((resolve) => (mark = resolve));
    const marking = db.withEnvironment(tenant, async (tx) => {
      await tx.raw(null, 'SELECT * FROM read_halt()');
      mark();
      await mayCommit;
      events.push('mark');
    });
    // Work of an earlier test may wait beside them.
    const waits = async (which: string): Promise<boolean> =>
      (await countRows(
        service.database,
        `pg_locks WHERE locktype = 'advisory' AND NOT granted AND ${which}
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      )) > 0;
    await isMarked; // otherwise the halt may come first, and then it waits for nothing
    const halting = halt().then(() => events.push('halt'));
    await until('the halt waits', () => waits(`mode = 'ExclusiveLock'`));
    let laterPid = 0;
    const later = db.withEnvironment(tenant, async (tx) => {
      laterPid = (await tx.row<{ pid: number }>(null, 'SELECT pg_backend_pid() AS pid', []))?.pid ?? 0;
      const { rows } = await tx.raw<{ rows: { halted_reason: string | null }[] }>(null, 'SELECT * FROM read_halt()');
      events.push(`later mark sees ${rows[0]?.halted_reason}`);
    });
    await until('the later mark waits behind it', () => waits(`pid = ${laterPid}`));
    commit();
    await Promise.all([marking, halting, later]);
    expect(events[0]).toBe('mark');
    expect(events).toContain('later mark sees the provider is down');
  });
});

test('a key without environments:halt cannot halt, and the environment runs on', async () => {
  const { key } = await service.createKey(service.database.tenant, { scopes: ['actions:invoke'] });
  const reply = await service.call('POST', `${environmentPath()}/halt`, { key, body: { reason: 'x' } });
  expect([reply.status, errorOf(reply).code]).toEqual([403, 'AUTHORIZATION_ERROR']);
  const action = await createAction(service, { url: `${target.baseUrl}/ok` });
  expect((await invoke(service, action)).invocation.status).toBe('succeeded');
});
