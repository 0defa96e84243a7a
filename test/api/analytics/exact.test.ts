import { describe, expect, it } from 'vitest';
import { giveBackAllowance } from '../../../db/plans/allowances.ts';
import { setPlan } from '../../../db/plans/plans.ts';
import { startTestApi } from '../harness/test-api.ts';
import { Schedules, testVault } from '../schedules/support.ts';
import { Analytics } from './support.ts';

/** What is read from records and counters: usage and schedule executions. */

const vault = testVault();
const api = await startTestApi({ vault });
const { key } = await api.createKey(api.database.tenant);
const reader = await api.createKey(api.database.tenant, { scopes: ['analytics:read'] });
const other = await api.createKey(api.database.tenants.production, { scopes: ['analytics:read'] });
const analytics = new Analytics(api, reader.key);
const elsewhere = new Analytics(api, other.key);
const schedules = new Schedules(api, key, vault);

interface Usage {
  range: { from: string; to: string; interval: string; completeUntil: string };
  period: { start: string; end: string };
  resetsAt: string;
  items: { meter: string; unit: string; used: number; workspace: { used: number; limit: number | 'unlimited' } }[];
  budget: { apiKeyId: string; used: { total: number } } | null;
}

const usage = (of: Analytics): Promise<Usage> => of.data('usage/current');

const publish = (body: object, asKey = key) => api.call('POST', '/api/v2/messages/publish', { key: asKey, body });

const usedOf = ({ items }: Usage, meter: string) => items.find((item) => item.meter === meter);

interface History {
  range: { from: string; to: string; interval: string; timezone: string };
  days: { date: string; complete: boolean; messages?: number; executions?: number; egressBytes?: number }[];
  totals: { messages?: number; executions?: number };
}

const DAY_MS = 86_400_000;
const today = () => new Date().toISOString().slice(0, 10);

describe('usage of the month', () => {
  it('is zero for each meter in an environment where nothing happened', async () => {
    const found = await usage(elsewhere);
    expect(found.items.map(({ meter, unit, used }) => [meter, unit, used])).toEqual([
      ['executions', 'execution', 0],
      ['messages', 'message', 0],
      ['egress', 'byte', 0],
      ['memory_processing', 'operation', 0],
      ['notification_emails', 'email', 0],
    ]);
    expect(found.budget).toBeNull();
    expect(found.period.end).toBe(found.resetsAt);
    expect([found.range.from, found.range.to]).toEqual([found.period.start, found.period.end]);
    expect(Date.parse(found.range.completeUntil)).toBeGreaterThan(Date.now() - 60_000);
  });

  it('counts what this environment used beside what the workspace used, up to this reply', async () => {
    const { key: otherKey } = await api.createKey(api.database.tenants.production);
    const before = await usage(analytics);
    for (const asKey of [key, key, otherKey]) await publish({ url: 'https://shop.example/hook', delay: '1h' }, asKey);
    const [here, there] = [await usage(analytics), await usage(elsewhere)];
    const messages = {
      before: usedOf(before, 'messages'),
      here: usedOf(here, 'messages'),
      there: usedOf(there, 'messages'),
    };
    expect((messages.here?.used ?? 0) - (messages.before?.used ?? 0)).toBe(2);
    expect(messages.there?.used).toBe(1);
    expect(messages.here?.workspace).toEqual(messages.there?.workspace);
    expect((messages.here?.workspace.used ?? 0) - (messages.before?.workspace.used ?? 0)).toBe(3);
  });

  it('shows what the plan includes, and unlimited where it includes everything', async () => {
    const change = (plan: 'free' | 'enterprise') =>
      api.database.db.withWorkspace(api.database.tenant.workspaceId, (tx) => setPlan(tx, plan));
    await change('enterprise');
    expect(usedOf(await usage(analytics), 'messages')?.workspace.limit).toBe('unlimited');
    await change('free');
    expect(usedOf(await usage(analytics), 'messages')?.workspace.limit).toBe(10_000);
    await change('enterprise');
  });

  it('shows the budget of the calling key alone', async () => {
    const { key: budgeted, record } = await api.createKey(api.database.tenant, {
      scopes: ['analytics:read', 'messages:write'],
    });
    await api.call('PUT', `/api/v2/budgets/${record.id}`, { key, body: { caps: { total: 5_000 } } });
    await publish({ url: 'https://shop.example/hook', delay: '1h' }, budgeted);
    const found = await usage(new Analytics(api, budgeted));
    expect(found.budget).toMatchObject({ apiKeyId: record.id, used: { total: 1_000 }, caps: { total: 5_000 } });
    expect((await usage(analytics)).budget).toBeNull();
  });
});

describe('usage of each day', () => {
  it('has every day of the range with zeros, and sums to the totals and to the month', async () => {
    await api.database.asOwner(`UPDATE workspaces SET created_at = now() - interval '60 days'`);
    const history: History = await analytics.data('usage/history');
    expect(history.range).toMatchObject({ interval: 'day', timezone: 'UTC' });
    const dates = history.days.map(({ date }) => date);
    expect(dates).toHaveLength(31); // the last 30 days begin within a day
    expect(new Set(dates.slice(1).map((date, index) => Date.parse(date) - Date.parse(dates[index] ?? '')))).toEqual(
      new Set([DAY_MS]),
    );
    expect(history.days.map(({ complete }) => complete)).toEqual(dates.map((date) => date < today()));
    const sum = history.days.reduce((total, { messages = 0 }) => total + messages, 0);
    expect(sum).toBeGreaterThan(0);
    expect(history.totals.messages).toBe(sum);
    const month = history.days.filter(({ date }) => date.slice(0, 7) === today().slice(0, 7));
    expect(usedOf(await usage(analytics), 'messages')?.used).toBe(
      month.reduce((total, { messages = 0 }) => total + messages, 0),
    );
  });

  it('takes what is given back from the day of its admission', async () => {
    const yesterday = new Date(Date.now() - DAY_MS);
    await api.database.asOwner(
      `INSERT INTO daily_usage (environment_id, day, allowance, shard, workspace_id, used) VALUES ($1, $2, 'executions', 0, $3, 3)`,
      [api.database.tenant.environmentId, yesterday.toISOString().slice(0, 10), api.database.tenant.workspaceId],
    );
    await api.database.db.withEnvironment(api.database.tenant, (tx) =>
      giveBackAllowance(tx, 'executions', 1, yesterday),
    );
    const history: History = await analytics.data('usage/history?meter=executions');
    const day = history.days.find(({ date }) => date === yesterday.toISOString().slice(0, 10));
    expect(day).toEqual({ date: yesterday.toISOString().slice(0, 10), complete: true, executions: 2 });
    expect(history.totals).toEqual({ executions: 2 });
  });

  it('is a table too', async () => {
    const [header, ...rows] = await analytics.csv('usage/history');
    expect(header).toBe('date,complete,executions,messages,egressBytes,memoryOperations,notificationEmails');
    expect(rows.at(-1)).toMatch(new RegExp(`^${today()},false,`));
  });

  it('refuses a range that it cannot answer, and a meter and a zone that it does not know', async () => {
    expect(await analytics.refusalOf('usage/history?meter=seats')).toBe('meter');
    expect(await analytics.refusalOf('usage/history?timezone=Europe/Berlin')).toBe('timezone');
    expect(await analytics.refusalOf('usage/history?from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z')).toBe('from');
    expect(await analytics.refusalOf('usage/history?from=2024-11-02T00:00:00Z')).toBe('from');
    expect(await analytics.refusalOf('usage/history?to=2020-11-02T00:00:00Z')).toBe('to');
    expect(await analytics.refusalOf('usage/current?from=2026-11-02T00:00:00Z')).toBe('from');
  });
});

describe('schedule executions', () => {
  interface Execution {
    scheduleId: string;
    outcome: string;
    latenessMs: number | null;
    messageIds: string[];
    eventId: string | null;
    deliveryStatus: string | null;
    error: { code: string } | null;
    firedAt: string;
    scheduledFor: string;
  }
  const slot = (minutesAgo: number) => {
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
    return new Date(hour - minutesAgo * 3_600_000).toISOString();
  };
  const executions = async (query: string): Promise<Execution[]> => analytics.data(`schedule-executions?${query}`);

  it('lists the firings of all schedules by the time of their outcome, with how they were delivered', async () => {
    const [hourly, other] = [await schedules.create({ name: 'hourly' }), await schedules.create({})];
    await schedules.firing(hourly.id, slot(3));
    await schedules.firing(hourly.id, slot(2)); // skipped: the first message has not ended
    await schedules.end(hourly.id);
    await schedules.firing(hourly.id, slot(1));
    await schedules.firing(other.id, slot(1));
    const all = await executions('limit=100');
    expect(all.map(({ scheduleId, outcome, deliveryStatus }) => [scheduleId, outcome, deliveryStatus])).toEqual([
      [other.id, 'published', 'pending'],
      [hourly.id, 'published', 'pending'],
      [hourly.id, 'skipped', null],
      [hourly.id, 'published', 'delivered'],
    ]);
    for (const { outcome, latenessMs, firedAt, scheduledFor, messageIds, error } of all) {
      const isPublished = outcome === 'published';
      expect(latenessMs).toBe(isPublished ? Date.parse(firedAt) - Date.parse(scheduledFor) : null);
      expect([messageIds.length, error === null]).toEqual(isPublished ? [1, true] : [0, false]);
    }
    const runs = await schedules.runs(hourly.id);
    expect((await executions(`scheduleId=${hourly.id}`)).map(({ scheduledFor }) => scheduledFor)).toEqual(
      runs.map(({ nominalTime }) => nominalTime),
    );
    expect((await executions('outcome=skipped')).map(({ outcome }) => outcome)).toEqual(['skipped']);
    expect(await executions(`scheduleId=${other.id}&outcome=skipped`)).toEqual([]);
    const [first, second] = [await executions('limit=3&page=1'), await executions('limit=3&page=2')];
    expect([...first, ...second]).toEqual(all);
    expect(await elsewhere.data('schedule-executions')).toEqual([]);
  });

  it('sums the deliveries of an event up', async () => {
    await api.call('POST', '/api/v2/events/topics', { key, body: { name: 'reports' } });
    const destination = { topic: 'reports', eventType: 'report.due', body: {} };
    const { id } = await schedules.create({ destination });
    await schedules.firing(id, slot(1));
    const [execution] = await executions(`scheduleId=${id}`);
    expect(execution).toMatchObject({ outcome: 'published', messageIds: [], deliveryStatus: null });
    expect(execution?.eventId).toMatch(/^evt_/);
  });

  it('is a table too, with a cell for each message and for the error', async () => {
    const [header, ...rows] = await analytics.csv('schedule-executions?outcome=skipped');
    expect(header).toBe(
      'scheduleId,trigger,scheduledFor,firedAt,latenessMs,outcome,messageIds,eventId,deliveryStatus,error.code,error.message',
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatch(/^sch_\w+,schedule,[^,]+,[^,]+,,skipped,,,,\w+,/);
  });

  it('refuses an outcome, a page and a limit that are none', async () => {
    expect(await analytics.refusalOf('schedule-executions?outcome=lost')).toBe('outcome');
    expect(await analytics.refusalOf('schedule-executions?page=0')).toBe('page');
    expect(await analytics.refusalOf('schedule-executions?limit=101')).toBe('limit');
    expect(await analytics.refusalOf(`schedule-executions?scheduleId=${'s'.repeat(101)}`)).toBe('scheduleId');
  });
});
