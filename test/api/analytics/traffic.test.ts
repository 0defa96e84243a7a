import { describe, expect, it, vi } from 'vitest';
import type { z } from 'zod';
import type { agentSchema } from '../../../api/analytics/agents.ts';
import type { overviewSchema } from '../../../api/analytics/overview-schemas.ts';
import type { trustControlSchema } from '../../../api/analytics/trust-control-schemas.ts';
import { runSchema } from '../../../api/runs/schemas.ts';
import { foldAllFacts } from '../../../db/analytics/directory.ts';
import { INVOCATION_STATUSES } from '../../../domain/lifecycle.ts';
import { startTestService } from '../../harness/service.ts';
import { approve, deny, keyClient, putPolicy, readApproval, untilStatus } from '../approvals/support.ts';
import { createAction, dataOf, invoke } from '../invocations/support.ts';
import { publish, startDestination, statusOf } from '../messages/support.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { Analytics } from './support.ts';

/** What analytics counts is what the lists of the records show, for the same filter. */

type Overview = z.infer<typeof overviewSchema>;
type Agent = z.infer<typeof agentSchema>;
type TrustControl = z.infer<typeof trustControlSchema>;
interface Series {
  series: { key: string | null; label: string; total: number; points: (number | null)[] }[];
}

const limitName = 'orders a day';
const [service, destination] = await Promise.all([startTestService(), startDestination()]);
await service.database.asOwner(`UPDATE workspaces SET created_at = now() - interval '1 year'`);
const decider = await keyClient(service, service.database.tenant);
const reader = await service.createKey(service.database.tenant, { scopes: ['analytics:read'] });
const analytics = new Analytics(service, reader.key);
destination.answer('/bad', { status: 422 });
destination.answer('/gone', { status: 410 });
const config = (path: string) => ({ url: `${destination.baseUrl}/${path}`, body: { what: '{{input.what}}' } });
const actions = {
  good: await createAction(service, config('good')),
  bad: await createAction(service, config('bad')),
  plain: await createAction(service, config('plain'), { governed: false }),
};

const { id: policyId } = await putPolicy(decider, {
  schema: 'approval-policy/v1',
  name: 'what is asked',
  rules: [
    { id: 'never', match: { actions: ['test.*'] }, when: 'input.what == "deny"', effect: 'deny' },
    {
      id: 'people',
      match: { actions: ['test.*'] },
      when: 'input.what == "ask"',
      effect: 'require_approval',
      approval: { quorum: 1, expiresIn: 'PT2H' },
    },
    { id: 'others', match: { actions: ['test.*'] }, effect: 'allow' },
  ],
});

await service.post('/api/v2/impact-limits', { name: limitName, dimension: 'orders', cap: 10, period: 'day' });
await invokeAll();
await runAll();
await sendAll();
await halted();
await foldAll();

async function invokeAll(): Promise<void> {
  const of = (what: string, agentId?: string) => ({ input: { what }, ...(agentId === undefined ? {} : { agentId }) });
  const rested = [
    await invoke(service, actions.good, of('order', 'shop-agent')),
    await invoke(service, actions.good, of('order', 'shop-agent')),
    await invoke(service, actions.good, of('order')),
    await invoke(service, actions.bad, of('order', 'other-agent')),
  ];
  await invoke(service, actions.plain, of('plain', 'shop-agent'));
  await invoke(service, actions.good, of('deny', 'other-agent'));
  for (const { invocation } of rested) await untilStatus(service, invocation.id, ['succeeded', 'failed']);
  const [agreed, declined] = [
    await invoke(service, actions.good, of('ask', 'shop-agent')),
    await invoke(service, actions.good, of('ask')),
  ];
  await invoke(service, actions.good, of('ask', 'shop-agent')); // is left waiting
  await approve(decider, await readApproval(service, agreed.invocation.approvalId));
  await deny(decider, await readApproval(service, declined.invocation.approvalId));
  await untilStatus(service, agreed.invocation.id, ['succeeded']);
  await untilStatus(service, declined.invocation.id, ['denied']);
}

async function runAll(): Promise<void> {
  const run = async (body: object, end?: object): Promise<void> => {
    const { id } = dataOf(await service.post('/api/v2/runs', body), runSchema);
    if (end !== undefined) await service.call('PATCH', `/api/v2/runs/${id}`, { key: service.key, body: end });
  };
  const shop = { agentId: 'shop-agent', agentVersion: '1.0' };
  await run(shop, { status: 'succeeded', tokens: 1_000, cost: 0.25 });
  await run({ ...shop, agentVersion: '1.1' }, { status: 'succeeded', tokens: 500, cost: 0.0021 });
  await run(shop, { status: 'failed', error: { code: 'no_stock', message: 'Order 17 is not there' } });
  await run({ agentId: 'other-agent' }, { status: 'cancelled' });
  await run({});
}

async function sendAll(): Promise<void> {
  const url = (path: string): string => `${destination.baseUrl}/${path}`;
  const sent = [
    ...(await Promise.all(
      [1, 2, 3].map((body) => publish(service, { url: url('hook?token=secret'), label: 'daily', body })),
    )),
    await publish(service, { url: url('gone'), maxRetries: 0, body: {} }),
  ];
  const later = await publish(service, { url: url('hook'), delay: '1h', body: {} });
  await publish(service, { url: url('hook'), delay: '2h', body: {} });
  await service.call('DELETE', `/api/v2/messages/${later.messageId}`, { key: service.key });
  const haveEnded = async (): Promise<void> => {
    for (const { messageId } of sent) expect(await statusOf(service, messageId)).toMatch(/delivered|failed/);
  };
  await vi.waitFor(haveEnded, { timeout: PATIENCE_MS, interval: 100 });
}

async function halted(): Promise<void> {
  const { workspaceId, environmentId } = service.database.tenant;
  const path = `/api/v2/workspaces/${workspaceId}/environments/${environmentId}`;
  await service.post(`${path}/halt`, { reason: 'an exercise' });
  await service.post(`${path}/resume`, {});
}

async function foldAll(): Promise<void> {
  await foldAllFacts(service.deps.db);
}

async function totalOf(path: string): Promise<number> {
  const { json, text } = await service.get(path);
  const { pagination } = json as { pagination?: { total: number } };
  if (pagination === undefined) throw new Error(text);
  return pagination.total;
}

describe('the overview', () => {
  it('has the numbers that the lists have', async () => {
    const { invocations, effects, approvals, messages, runs, deadLettersNow } =
      await analytics.data<Overview>('overview');
    const listed = Object.fromEntries(
      await Promise.all(
        INVOCATION_STATUSES.map(async (status) => [
          status,
          await totalOf(`/api/v2/actions/invocations?status=${status}`),
        ]),
      ),
    ) as Record<(typeof INVOCATION_STATUSES)[number], number>;
    const { pending_approval, queued, dispatching, ...ended } = listed;
    const { created, pendingNow, ...counted } = invocations;
    expect(counted).toEqual(ended);
    expect(created).toBe(await totalOf('/api/v2/actions/invocations'));
    expect(pendingNow).toEqual({ count: pending_approval + queued + dispatching, isCapped: false });
    expect([ended.succeeded, ended.failed, ended.refused, ended.denied, pendingNow.count]).toEqual([5, 1, 1, 1, 1]);

    for (const grade of ['confirmed', 'acknowledged', 'unknown', 'failed', 'refused', 'denied'] as const)
      expect([grade, effects.byGrade[grade]]).toEqual([grade, await totalOf(`/api/v2/actions/effects?grade=${grade}`)]);
    expect(effects).toMatchObject({ unknownNow: { count: 0, isCapped: false }, oldestUnknownAt: null });

    expect(approvals).toMatchObject({ requested: 3, approved: 1, denied: 1, expired: 0, pendingNow: { count: 1 } });
    expect(approvals.requested).toBe(await totalOf('/api/v2/approvals'));
    expect(approvals.decisionMs?.count).toBe(2);

    expect(messages.accepted).toBe(await totalOf('/api/v2/messages'));
    for (const status of ['delivered', 'failed', 'cancelled'] as const)
      expect([status, messages[status]]).toEqual([status, await totalOf(`/api/v2/messages?status=${status}`)]);
    expect(messages).toMatchObject({
      delivered: 3,
      failed: 1,
      cancelled: 1,
      deliveryRate: 0.75,
      pendingNow: { count: 1 },
    });
    expect(deadLettersNow.count).toBe(await totalOf('/api/v2/dlq'));

    expect(runs).toEqual({
      started: await totalOf('/api/v2/runs'),
      succeeded: await totalOf('/api/v2/runs?status=succeeded'),
      failed: 1,
      cancelled: 1,
      tokens: 1_500,
      costUsd: 0.2521,
      runningNow: { count: 1, isCapped: false },
    });
  });

  it('compares with the range before, in which nothing was', async () => {
    const { previous } = await analytics.data<Overview>('overview');
    expect(previous.invocations).toEqual({
      created: 0,
      succeeded: 0,
      failed: 0,
      unknown: 0,
      refused: 0,
      denied: 0,
      expired: 0,
      cancelled: 0,
    });
    expect([previous.messages.deliveryRate, previous.effects.confirmedShare, previous.approvals.decisionMs]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe('agents', () => {
  it('are those that were named, with what each did, and one for what named none', async () => {
    const agents = await analytics.data<Agent[]>('agents?sort=invocations');
    expect(agents).toMatchObject([
      {
        agentId: 'shop-agent',
        versions: expect.arrayContaining(['1.0', '1.1']),
        runs: { started: 3, succeeded: 2, failed: 1, cancelled: 0 },
        costUsd: 0.2521,
        invocations: 5,
        refused: 0,
        approvalsRequested: 2,
      },
      { agentId: null, runs: { started: 1, succeeded: 0 }, durationMs: null, invocations: 2, approvalsRequested: 1 },
      { agentId: 'other-agent', runs: { started: 1, cancelled: 1 }, invocations: 2, refused: 1, approvalsRequested: 0 },
    ]);
    expect(await totalOf('/api/v2/actions/invocations?agentId=shop-agent')).toBe(5);
  });

  it('come in pages, and one alone by its id', async () => {
    const page = async (query: string) => {
      const { json } = await analytics.get(`agents?${query}`);
      const { data, pagination } = json as { data: { agentId: string | null }[]; pagination: object };
      return { ids: data.map(({ agentId }) => agentId), pagination };
    };
    expect(await page('sort=runs&limit=1')).toEqual({
      ids: ['shop-agent'],
      pagination: { total: 3, page: 1, limit: 1, totalPages: 3, hasMore: true },
    });
    expect(await page('agentId=other-agent')).toMatchObject({ ids: ['other-agent'], pagination: { total: 1 } });
    expect(await page('agentId=nobody')).toMatchObject({ ids: [], pagination: { total: 0 } });
    expect(await page('page=9')).toMatchObject({ ids: [], pagination: { total: 3 } });
    expect(await analytics.refusalOf('agents?sort=name')).toBe('sort');
    expect(await analytics.refusalOf('agents?limit=101')).toBe('limit');
  });
});

describe('trust control', () => {
  it('says what policies, people, limits and the halt did', async () => {
    const shown = await analytics.data<TrustControl>('trust-control');
    expect(shown.decisions).toEqual({ allow: 5, requireApproval: 3, deny: 1 });
    expect(shown.byPolicy).toEqual([
      { policyId, ruleId: 'others', version: 1, effect: 'allow', count: 5 },
      { policyId, ruleId: 'people', version: 1, effect: 'require_approval', count: 3 },
      { policyId, ruleId: 'never', version: 1, effect: 'deny', count: 1 },
    ]);
    expect(shown.approvals).toMatchObject({ requested: 3, approved: 1, denied: 1, expired: 0, invalidated: 0 });
    expect(shown.refusals).toEqual(expect.arrayContaining([{ code: 'policy_denied', count: 1 }]));
    const verified = Object.values(shown.verification).reduce((sum, count) => sum + count, 0);
    expect(verified).toBe(Object.values(shown.grades).reduce((sum, count) => sum + count, 0));
    expect(shown.unknowns).toMatchObject({ opened: 0, resolvedByLookup: 0, openNow: { count: 0 }, resolutionMs: null });
    expect(shown.impactLimits).toMatchObject([
      { name: limitName, dimension: 'orders', cap: 10, settled: 0, reserved: 0, utilisation: 0, exceeded: false },
    ]);
    expect(shown.halts).toEqual([
      { at: expect.any(String), by: { type: 'api_key', id: expect.any(String) }, until: expect.any(String) },
    ]);
    expect(shown.truncated).toBe(false);
  });
});

describe('time series', () => {
  const totals = async (query: string): Promise<Record<string, number>> => {
    const { series } = await analytics.data<Series>(`time-series?${query}`);
    for (const { total, points } of series)
      expect(points.reduce<number>((sum, point) => sum + (point ?? 0), 0)).toBe(total);
    return Object.fromEntries(series.map(({ label, total }) => [label, total]));
  };

  it('sum to the same numbers, by every group', async () => {
    expect(await totals('metric=invocations.created&groupBy=action')).toEqual({
      [actions.good]: 7,
      [actions.bad]: 1,
      [actions.plain]: 1,
    });
    expect(await totals('metric=invocations.created&groupBy=status')).toEqual({
      succeeded: 5,
      failed: 1,
      refused: 1,
      denied: 1,
      pending: 1,
    });
    expect(await totals('metric=invocations.ended&groupBy=agent')).toEqual({
      'shop-agent': 4,
      'other-agent': 2,
      none: 2,
    });
    expect(await totals('metric=approvals.decided&groupBy=status')).toEqual({ approved: 1, denied: 1 });
    expect(await totals('metric=approvals.requested&groupBy=policy')).toEqual({ 'what is asked': 3 });
    expect(await totals('metric=messages.accepted&groupBy=label')).toEqual({ daily: 3, none: 3 });
    expect(await totals('metric=messages.ended&groupBy=status')).toEqual({ delivered: 3, failed: 1, cancelled: 1 });
    expect(await totals('metric=delivery.attempts&groupBy=outcome')).toEqual({ '2xx': 3, '4xx': 1 });
    expect(await totals('metric=delivery.attempts&groupBy=url')).toEqual({
      [`${destination.baseUrl}/hook`]: 3,
      [`${destination.baseUrl}/gone`]: 1,
    });
    expect(await totals('metric=runs.ended&groupBy=status')).toEqual({ succeeded: 2, failed: 1, cancelled: 1 });
    expect(await totals('metric=tokens&groupBy=agent')).toEqual({ 'shop-agent': 1_500 });
    expect(await totals('metric=cost')).toEqual({ all: 252_100 });
    expect(await totals('metric=refusals&groupBy=code')).toMatchObject({ policy_denied: 1 });
    expect(await totals('metric=errors&groupBy=area')).toMatchObject({
      run: 1,
      delivery: 1,
      dispatch: 1,
      invocation: 1,
    });
  });

  it('of a percentile are null where nothing was measured', async () => {
    const { series } = await analytics.data<Series>('time-series?metric=delivery.latency.p95&groupBy=url&interval=15m');
    expect(series.map(({ key }) => key)).toEqual([`${destination.baseUrl}/hook`, `${destination.baseUrl}/gone`]);
    for (const { total, points } of series) {
      expect(total).toBeGreaterThan(0);
      expect(points[0]).toBeNull();
      expect(points.filter((point) => point !== null).every((point) => point > 0)).toBe(true);
      expect(points.some((point) => point !== null)).toBe(true);
    }
    // Read by quarters of an hour above, and by days here.
    const byDay = await analytics.data<Series>('time-series?metric=delivery.latency.p95&groupBy=url&interval=day');
    expect(byDay.series.map(({ key, total }) => [key, total])).toEqual(series.map(({ key, total }) => [key, total]));
    const [hook, gone] = series;
    for (const interval of ['15m', 'day']) {
      const top = await analytics.data<Series>(
        `time-series?metric=delivery.latency.p95&groupBy=url&top=1&interval=${interval}`,
      );
      expect(top.series).toMatchObject([
        { key: hook?.key, total: hook?.total },
        { key: null, label: 'other', total: gone?.total },
      ]);
    }
    const nothing = await analytics.data<Series>('time-series?metric=schedules.fired');
    expect(nothing.series).toMatchObject([{ key: 'all', label: 'all', total: 0 }]);
  });
});

it('counts the retry of a dead letter as another message, and what is live as it is now', async () => {
  const { json } = await service.get('/api/v2/dlq');
  const [dead] = (json as { data: { messageId: string }[] }).data;
  destination.answer('/gone', { status: 200 });
  const retried = await service.post(`/api/v2/dlq/${dead?.messageId}/retry`, {});
  expect(retried.status, retried.text).toBe(201);
  await expect.poll(() => totalOf('/api/v2/messages?status=delivered')).toBe(4);
  const { deadLettersNow, messages: before } = await analytics.data<Overview>('overview');
  expect([deadLettersNow.count, before.delivered]).toEqual([0, 3]);
  await foldAll();
  const { messages } = await analytics.data<Overview>('overview');
  expect(messages).toMatchObject({ accepted: await totalOf('/api/v2/messages'), delivered: 4, failed: 1 });
});
