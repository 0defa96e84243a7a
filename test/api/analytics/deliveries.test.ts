import { afterAll, describe, expect, it, vi } from 'vitest';
import { foldAllFacts } from '../../../db/analytics/directory.ts';
import { fingerprintOf } from '../../../domain/analytics/error-samples.ts';
import { PRESET_SCOPES } from '../../../domain/scopes.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { startTestService } from '../../harness/service.ts';
import { type Message, publish, startDestination, statusOf } from '../messages/support.ts';
import { mcpClients } from '../mcp/support.ts';
import { Analytics } from './support.ts';

/** Real deliveries, schedules and errors; each number is compared with the lists of the records. */

interface Attempt {
  status: string;
  responseStatus: number | null;
  latencyMs: number | null;
}
interface Percentiles {
  p50: number;
  p95: number;
  max: number;
  count: number;
}
interface Delivery {
  attempts: { total: number; succeeded: number; failed: number; abandoned: number };
  byOutcome: Record<string, number>;
  latencyMs: Percentiles | null;
  firstAttemptSuccessRate: number | null;
  attemptsPerMessage: number | null;
  timeToDeliveryMs: Percentiles | null;
  buckets: { start: string; end: string; succeeded: number; failed: number; p95: number | null }[];
}
interface Counts {
  accepted: number;
  delivered: number;
  failed: number;
  cancelled: number;
}
interface Messages {
  totals: Counts;
  now: Record<'pending' | 'scheduled' | 'processing', { count: number; isCapped: boolean }>;
  byKind: (Counts & { kind: string })[];
  byLabel: (Counts & { label: string | null })[];
  buckets: (Counts & { start: string; end: string })[];
}
interface TopUrl {
  url: string;
  messages: number;
  delivered: number;
  failed: number;
  deliveryRate: number | null;
  latencyMs: Percentiles | null;
  lastStatus: number | null;
  lastFailureAt: string | null;
}
interface ErrorKind {
  fingerprint: string;
  area: string;
  code: string;
  sampleMessage: string;
  count: number;
  affected: { type: string; id: string; name: string | null }[];
  sampleIds: string[];
  trend: number[];
}
interface ScheduleOf {
  scheduleId: string;
  firings: Record<'published' | 'skipped' | 'failed' | 'missed', number>;
  successRate: number | null;
  latenessMs: Percentiles | null;
  delivery: { delivered: number; failed: number };
}

let subscriptionId: string;
let scheduleId: string;

const [service, destination] = await Promise.all([startTestService(), startDestination()]);
const { tenants } = service.database;
const keyOf = async (tenant: typeof tenants.development) =>
  (await service.createKey(tenant, { scopes: ['analytics:read'] })).key;
const analytics = new Analytics(service, await keyOf(tenants.development));
const elsewhere = new Analytics(service, await keyOf(tenants.production));
const gone = await startDestination();
const closedPort = gone.baseUrl;
await gone.close();
const until = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, { timeout: PATIENCE_MS });
await sendAll();
await fireAll();
await foldAllFacts(service.database.db);

async function sendAll(): Promise<void> {
  destination.answer('/flaky?token=s3cret', { status: 503 }, { status: 200 });
  destination.answer('/gone', { status: 410 });
  const url = destination.baseUrl;
  const sent = [
    await publish(service, { url: `${url}/ok?order=1`, body: { n: 1 }, label: 'orders' }),
    await publish(service, { url: `${url}/ok?order=2#top`, body: { n: 2 }, label: 'orders' }),
    await publish(service, { url: `${url}/flaky?token=s3cret`, body: {}, retryDelay: '10', label: 'refunds' }),
    await publish(service, { url: `${url}/gone`, body: {} }),
    await publish(service, { url: `${closedPort}/away`, body: {}, maxRetries: 0 }),
  ];
  await publish(service, { url: `${url}/later`, body: {}, delay: '1h' });
  const withdrawn = await publish(service, { url: `${url}/later`, body: {}, delay: '1h', label: 'orders' });
  await service.call('DELETE', `/api/v2/messages/${withdrawn.messageId}`, { key: service.key });
  for (const { messageId } of sent)
    await until(async () => expect(await statusOf(service, messageId)).toMatch(/^(delivered|failed)$/));
  await service.post('/api/v2/events/topics', { name: 'shop' });
  const made = await service.post('/api/v2/events/topics/shop/subscriptions', { url: `${url}/hook` });
  subscriptionId = (made.json as { data: { id: string } }).data.id;
  await service.post('/api/v2/events', { topic: 'shop', type: 'order.paid', data: {} });
  await until(async () => expect(await list('includeEventDeliveries=true&status=delivered')).toHaveLength(4));
}

async function fireAll(): Promise<void> {
  const made = await service.post('/api/v2/schedules', {
    name: 'by hand',
    cron: '0 0 1 1 *',
    destination: { url: `${destination.baseUrl}/report`, body: {} },
  });
  scheduleId = (made.json as { data: { id: string } }).data.id;
  await service.post(`/api/v2/schedules/${scheduleId}/run`, {});
  await until(async () => expect(await list(`scheduleId=${scheduleId}&status=delivered`)).toHaveLength(1));
}

async function list(query: string): Promise<Message[]> {
  return ((await service.get(`/api/v2/messages?limit=100&${query}`)).json as { data: Message[] }).data;
}

async function attempts(messages: readonly Message[]): Promise<Attempt[]> {
  const each = messages.map(
    async ({ messageId }) => (await service.get(`/api/v2/messages/${messageId}/attempts`)).json,
  );
  return (await Promise.all(each)).flatMap((json) => (json as { data: Attempt[] }).data);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

describe('deliveries', () => {
  it('are the attempts of the records, by how they ended', async () => {
    const found: Delivery = await analytics.data('delivery');
    const records = await attempts(await list('includeEventDeliveries=true'));
    const answered = (digit: string) =>
      records.filter(({ responseStatus }) => String(responseStatus).startsWith(digit));
    expect(found.attempts).toEqual({
      total: records.length,
      succeeded: answered('2').length,
      failed: records.length - answered('2').length,
      abandoned: 0,
    });
    const { connection, ...answers } = found.byOutcome;
    const counted = Object.fromEntries(
      ['2xx', '4xx', '5xx'].map((outcome) => [outcome, answered(outcome.slice(0, 1)).length]),
    );
    expect(Object.fromEntries(Object.entries(answers).filter(([, count]) => count > 0))).toEqual(counted);
    expect(connection).toBe(records.filter(({ responseStatus }) => responseStatus === null).length);
    expect(sum(Object.values(found.byOutcome)) + found.attempts.abandoned).toBe(found.attempts.total);
    // ok twice, the hook and the report of seven first attempts; flaky, gone and away failed.
    expect(found.firstAttemptSuccessRate).toBe(4 / 7);
    expect(found.attemptsPerMessage).toBe(8 / 7);
    const measured = records.map(({ latencyMs }) => latencyMs ?? 0);
    expect(found.latencyMs?.count).toBe(records.filter(({ latencyMs }) => latencyMs !== null).length);
    expect(found.latencyMs?.max).toBeGreaterThanOrEqual(0.94 * Math.max(...measured));
    expect(found.latencyMs?.max).toBeLessThanOrEqual(Math.max(1.06 * Math.max(...measured), 1));
    expect(found.timeToDeliveryMs?.count).toBe((await list('includeEventDeliveries=true&status=delivered')).length);
    expect(sum(found.buckets.map(({ succeeded }) => succeeded))).toBe(found.attempts.succeeded);
    expect(sum(found.buckets.map(({ failed }) => failed))).toBe(found.attempts.failed);
    expect(found.buckets.some(({ p95 }) => p95 !== null)).toBe(true);
  });

  it('are filtered by destination without its query, or by subscription', async () => {
    const of = (query: string): Promise<Delivery> => analytics.data(`delivery?${query}`);
    const url = encodeURIComponent(`${destination.baseUrl}/ok?order=3#x`);
    expect((await of(`url=${url}`)).attempts).toMatchObject({ total: 2, succeeded: 2 });
    expect((await of(`subscriptionId=${subscriptionId}`)).attempts).toMatchObject({ total: 1, succeeded: 1 });
    expect((await of(`subscriptionId=${subscriptionId}&url=${url}`)).attempts.total).toBe(0);
  });

  it('of another environment are none: zeros in every bucket and no rate', async () => {
    const found: Delivery = await elsewhere.data('delivery?interval=15m');
    expect(found.attempts).toEqual({ total: 0, succeeded: 0, failed: 0, abandoned: 0 });
    expect([found.latencyMs, found.firstAttemptSuccessRate, found.attemptsPerMessage, found.timeToDeliveryMs]).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(found.buckets.length).toBeGreaterThan(0);
    for (const { succeeded, failed, p95 } of found.buckets) expect([succeeded, failed, p95]).toEqual([0, 0, null]);
  });

  it('are a table too, a row for each bucket', async () => {
    const { buckets }: Delivery = await analytics.data('delivery');
    const [header, ...rows] = await analytics.csv('delivery');
    expect(header).toBe('start,end,succeeded,failed,p95');
    expect(rows).toEqual(
      buckets.map(({ start, end, succeeded, failed, p95 }) => [start, end, succeeded, failed, p95 ?? ''].join(',')),
    );
  });

  it('refuse a URL that is none or is too long', async () => {
    expect(await analytics.refusalOf('delivery?url=shop')).toBe('url');
    expect(await analytics.refusalOf(`delivery?url=https://shop.example/${'a'.repeat(2_048)}`)).toBe('url');
    expect(await analytics.refusalOf(`delivery?subscriptionId=${'s'.repeat(101)}`)).toBe('subscriptionId');
  });
});

describe('messages', () => {
  it.each([false, true])('sum to the list of the messages, with deliveries of events: %s', async (included) => {
    const query = `includeEventDeliveries=${included}`;
    const found: Messages = await analytics.data(`messages?${query}`);
    const records = await list(query);
    const of = (status: string) => records.filter((message) => message.status === status).length;
    const expected = {
      accepted: records.length,
      delivered: of('delivered'),
      failed: of('failed'),
      cancelled: of('cancelled'),
    };
    expect(found.totals).toEqual(expected);
    for (const groups of [found.buckets, found.byKind, found.byLabel]) {
      for (const name of ['accepted', 'delivered', 'failed', 'cancelled'] as const)
        expect(sum(groups.map((group) => group[name])), name).toBe(expected[name]);
    }
    expect(found.now).toEqual({
      pending: { count: 0, isCapped: false },
      scheduled: { count: 1, isCapped: false },
      processing: { count: 0, isCapped: false },
    });
    expect(found.byKind.map(({ kind }) => kind).sort()).toEqual(included ? ['event', 'message'] : ['message']);
    expect(found.byLabel.find(({ label }) => label === 'orders')).toEqual({
      label: 'orders',
      accepted: 3,
      delivered: 2,
      failed: 0,
      cancelled: 1,
    });
    expect(found.byLabel.some(({ label }) => label === null)).toBe(true);
  });

  it('of another environment are none', async () => {
    const found: Messages = await elsewhere.data('messages');
    expect(found.totals).toEqual({ accepted: 0, delivered: 0, failed: 0, cancelled: 0 });
    expect([found.byKind, found.byLabel, found.now.scheduled.count]).toEqual([[], [], 0]);
  });

  it('are a table too', async () => {
    const [header, ...rows] = await analytics.csv('messages');
    expect(header).toBe('start,end,accepted,delivered,failed,cancelled');
    expect(rows.length).toBeGreaterThan(0);
    expect(await analytics.refusalOf('messages?includeEventDeliveries=perhaps')).toBe('includeEventDeliveries');
  });
});

describe('the top URLs', () => {
  it('are origins and paths with what ended there', async () => {
    const found: TopUrl[] = await analytics.data('top-urls');
    const at = (path: string) => found.find(({ url }) => url === `${destination.baseUrl}${path}`);
    expect(at('/ok')).toMatchObject({
      messages: 2,
      delivered: 2,
      failed: 0,
      deliveryRate: 1,
      lastStatus: 200,
      lastFailureAt: null,
    });
    expect(at('/flaky')).toMatchObject({ messages: 1, delivered: 1, deliveryRate: 1, lastStatus: 200 });
    expect(at('/flaky')?.lastFailureAt).not.toBeNull();
    expect(at('/gone')).toMatchObject({ messages: 1, failed: 1, deliveryRate: 0, lastStatus: 410 });
    expect(at('/later')).toMatchObject({ messages: 1, deliveryRate: null, latencyMs: null, lastStatus: null });
    const away = found.find(({ url }) => url === `${closedPort}/away`);
    expect(away).toMatchObject({ failed: 1, lastStatus: null });
    expect(JSON.stringify(found)).not.toContain('s3cret');
  });

  it('are the first by what is asked for, and the others are counted', async () => {
    const { json } = await analytics.get('top-urls?limit=1');
    const ended = (await list('includeEventDeliveries=true')).filter(({ status }) => status !== 'scheduled').length;
    const { data, other, truncated } = json as { data: TopUrl[]; other: { messages: number }; truncated: boolean };
    expect(data.map(({ url }) => url)).toEqual([`${destination.baseUrl}/ok`]);
    expect([2 + other.messages, truncated]).toEqual([ended, false]);
    const failing: TopUrl[] = await analytics.data('top-urls?sort=failed&limit=2');
    expect(failing.map(({ failed }) => failed)).toEqual([1, 1]);
    const slow: TopUrl[] = await analytics.data('top-urls?sort=latency');
    const p95 = slow.map(({ latencyMs }) => latencyMs?.p95 ?? -1);
    expect(p95).toEqual(p95.toSorted((a, b) => b - a));
  });

  it('are a table too, and refuse a sort and a limit that are none', async () => {
    const [header, first] = await analytics.csv('top-urls?limit=1');
    expect(header).toMatch(/^url,messages,delivered,failed,deliveryRate,latencyMs.p50,/);
    expect(first).toContain('/ok,2,2,0,1,');
    expect(await analytics.refusalOf('top-urls?sort=name')).toBe('sort');
    expect(await analytics.refusalOf('top-urls?limit=0')).toBe('limit');
    expect(await analytics.refusalOf('top-urls?page=2')).toBe('page');
    expect(await elsewhere.data('top-urls')).toEqual([]);
  });
});

describe('schedules', () => {
  it('have their firings, and what became of their messages', async () => {
    const [found, ...others]: ScheduleOf[] = await analytics.data('schedules');
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      scheduleId,
      name: 'by hand',
      firings: { published: 1, skipped: 0, failed: 0, missed: 0 },
      successRate: 1,
      delivery: { delivered: 1, failed: 0 },
      nextRunAt: expect.stringMatching(/-01-01T00:00:00.000Z$/) as string,
    });
    expect(found?.latenessMs?.count).toBe(1);
    expect(await analytics.data('schedule-executions?outcome=published')).toHaveLength(1);
    const [, row] = await analytics.csv('schedules');
    expect(row).toMatch(new RegExp(`^${scheduleId},by hand,0 0 1 1 \\*,UTC,false,1,0,0,0,1,`));
    expect(await elsewhere.data('schedules')).toEqual([]);
  });
});

describe('errors', () => {
  it('are the failed attempts of the records by code, with samples and a trend that sums to the count', async () => {
    const found: ErrorKind[] = await analytics.data('errors');
    const { attempts: counted }: Delivery = await analytics.data('delivery');
    const deliveries = found.filter(({ area }) => area === 'delivery');
    expect(sum(deliveries.map(({ count }) => count))).toBe(counted.failed);
    expect(deliveries.map(({ code }) => code).sort()).toEqual(['410', '503', 'connection']);
    const [flaky] = await list('label=refunds');
    const one = deliveries.find(({ code }) => code === '503');
    expect(one).toMatchObject({
      fingerprint: fingerprintOf('delivery', '503', 'the destination answered #'),
      sampleMessage: 'the destination answered #',
      sampleIds: [flaky?.messageId],
      affected: [{ type: 'destination', id: `${destination.baseUrl}/flaky`, name: null }],
    });
    for (const { count, trend } of found) expect([trend.length, sum(trend)]).toEqual([24, count]);
    expect(JSON.stringify(found)).not.toContain('s3cret');
    const fingerprints = found.map(({ fingerprint }) => fingerprint);
    expect(new Set(fingerprints).size).toBe(fingerprints.length);
  });

  it('are filtered by area and code, and cut to a limit that says so', async () => {
    const codes = async (query: string) =>
      (await analytics.data<ErrorKind[]>(`errors?${query}`)).map(({ code }) => code);
    expect(await codes('code=410')).toEqual(['410']);
    expect(await codes('area=run')).toEqual([]);
    const { json } = await analytics.get('errors?limit=1');
    expect(json).toMatchObject({ data: [{}], truncated: true });
    const [header] = await analytics.csv('errors');
    expect(header).toBe('fingerprint,area,code,sampleMessage,count,firstSeenAt,lastSeenAt,affected,sampleIds,trend');
    expect(await analytics.refusalOf('errors?area=network')).toBe('area');
    expect(await analytics.refusalOf(`errors?code=${'c'.repeat(201)}`)).toBe('code');
    expect(await elsewhere.data('errors')).toEqual([]);
  });
});

describe('a caller', () => {
  const paths = [
    'delivery',
    'messages',
    'top-urls',
    'usage/current',
    'usage/history',
    'schedules',
    'errors',
    'onboarding',
  ];

  it('without analytics:read is refused', async () => {
    const { key } = await service.createKey(service.database.tenant, { scopes: ['messages:read', 'billing:read'] });
    for (const path of paths) expect((await new Analytics(service, key).get(path)).status, path).toBe(403);
  });
});

describe('the MCP tool get_usage', () => {
  const { connect, close } = mcpClients(() => service);
  afterAll(close);

  it('is what usage/current is for the same key, with a line that says what is left', async () => {
    const { key, record } = await service.createKey(service.database.tenant, { scopes: ['analytics:read'] });
    await service.call('PUT', `/api/v2/budgets/${record.id}`, { key: service.key, body: { caps: { total: 70_000 } } });
    const { tool } = await connect(key);
    const { texts, structured } = await tool('get_usage');
    const shown = await new Analytics(service, key).data<Record<string, unknown>>('usage/current');
    const { range: _, ...told } = structured;
    expect(shown).toMatchObject(told);
    expect(texts[0]).toContain("This key's budget: 0 microcents are used and 0 reserved of 70000.");
    expect(texts[0]).toContain(String(shown['resetsAt']));
  });

  it('is there for keys with analytics:read alone, which the preset agent lacks', async () => {
    const { key } = await service.createKey(service.database.tenant, { preset: 'agent', scopes: PRESET_SCOPES.agent });
    const { client, tool } = await connect(key);
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('get_usage');
    expect(await tool('get_usage')).toMatchObject({
      isError: true,
      texts: [expect.stringContaining('analytics:read'), expect.anything()],
    });
  });
});
