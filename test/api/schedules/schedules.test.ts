import { describe, expect, test } from 'vitest';
import { SCHEDULES_PER_ENVIRONMENT_MAX } from '../../../domain/schedules/schedules.ts';
import { startTestApi } from '../harness/test-api.ts';
import { errorOf } from '../invocations/support.ts';
import { scheduleIn, Schedules, testVault } from './support.ts';

const vault = testVault();
const api = await startTestApi({ vault });
const { key } = await api.createKey(api.database.tenant);
const schedules = new Schedules(api, key, vault);

const DESTINATION = { url: 'https://shop.example/hook' };

describe('POST /schedules', () => {
  test('429 at the cap of the environment, until one is deleted', async () => {
    const { environmentId, workspaceId } = api.database.tenants.staging;
    await api.database.asOwner(
      `INSERT INTO schedules (id, environment_id, cron, timezone, overlap, catch_up_seconds, destination, body_kind, created_by, paused)
       SELECT 'sch_cap' || n, $1, '0 9 * * *', 'UTC', 'skip', 60, '{}', 'none', '{}', true FROM generate_series(1, $2::integer) n`,
      [environmentId, SCHEDULES_PER_ENVIRONMENT_MAX],
    );
    const { key: staging } = await api.createKey({ workspaceId, environmentId });
    const create = () =>
      api.call('POST', '/api/v2/schedules', { key: staging, body: { cron: '0 9 * * *', destination: DESTINATION } });
    const refused = await create();
    expect([refused.status, errorOf(refused).code]).toEqual([429, 'QUOTA_EXCEEDED']);
    expect((await api.call('DELETE', '/api/v2/schedules/sch_cap1', { key: staging })).status).toBe(200);
    expect((await create()).status).toBe(201);
    expect((await create()).status).toBe(429);
  });

  test('201: the record, with its defaults and its next slot', async () => {
    const destination = {
      ...DESTINATION,
      headers: { Authorization: 'Bearer s3cret-token', 'X-Team': 'ops' },
      body: { card: '4242-4242-4242' },
      redact: { body: true },
    };
    const schedule = await schedules.create({
      name: 'report',
      cron: '0 0 1 1 *',
      timezone: 'Asia/Kolkata',
      destination,
    });
    expect(schedule).toMatchObject({
      name: 'report',
      cron: '0 0 1 1 *',
      timezone: 'Asia/Kolkata',
      overlap: 'skip',
      catchUpSeconds: 60,
      paused: false,
      lastRunAt: null,
      destination: { ...destination, headers: { Authorization: '[REDACTED]', 'X-Team': 'ops' }, body: '[REDACTED]' },
    });
    expect(schedule.nextRunAt).toMatch(/-12-31T18:30:00\.000Z$/);
    const rows = await api.database.asOwner('SELECT * FROM schedules WHERE id = $1', [schedule.id]);
    expect(JSON.stringify(rows)).not.toContain('s3cret');
    expect(JSON.stringify(rows)).not.toContain('4242-4242-4242');
  });

  test('warns of a URL group and a topic that nobody can publish to, with near names; on a change as well', async () => {
    const { tenant } = api.database;
    const { key } = await api.createKey(tenant);
    const make = async (path: string, body: object): Promise<void> => {
      expect((await api.call('POST', path, { key, body })).status).toBe(201);
    };
    await make('/api/v2/url-groups', { name: 'receivers', endpoints: [{ url: 'https://one.example/' }] });
    await make('/api/v2/url-groups', { name: 'empty', endpoints: [] });
    await make('/api/v2/events/topics', { name: 'orders' });
    const warningsOf = async (destination: object) => (await schedules.create({ destination })).warnings;
    expect(await warningsOf(DESTINATION)).toEqual([]);
    expect(await warningsOf({ urlGroup: 'receivers' })).toEqual([]);
    expect(await warningsOf({ urlGroup: 'recievers' })).toEqual([
      {
        path: 'destination.urlGroup',
        code: 'url_group_missing',
        message: expect.stringContaining('receivers') as string,
      },
    ]);
    expect(await warningsOf({ urlGroup: 'empty' })).toMatchObject([{ code: 'url_group_empty' }]);
    const topic = { topic: 'order', eventType: 'order.paid', body: {} };
    const expected = [
      { path: 'destination.topic', code: 'topic_missing', message: expect.stringContaining('orders') as string },
    ];
    expect(await warningsOf(topic)).toEqual(expected);
    const { id } = await schedules.create({});
    expect(scheduleIn(await schedules.call('PATCH', `/${id}`, { destination: topic })).warnings).toEqual(expected);
    // Members that the change omits are validated again.
    expect(scheduleIn(await schedules.call('PATCH', `/${id}`, { name: 'orders' })).warnings).toEqual(expected);
    expect(scheduleIn(await schedules.call('PATCH', `/${id}`, { destination: DESTINATION })).warnings).toEqual([]);
  });

  test.each([
    [{ cron: '61 * * * *' }, 'body.cron', 'from 0 to 59'],
    [{ cron: '0 0 30 2 *' }, 'body.cron', 'never comes'],
    [{ cron: '@hourly' }, 'body.cron', 'in fields'],
    [{ timezone: 'Mars/Olympus' }, 'body.timezone', 'IANA'],
    [{ timezone: '+01:00' }, 'body.timezone', 'IANA'],
    [{ overlap: 'queue' }, 'body.overlap', 'buffer_one'],
    [{ catchUpSeconds: 5 }, 'body.catchUpSeconds', '10'],
    [{ destination: { url: 'ftp://shop.example' } }, 'body.destination.url', 'http'],
    [
      { destination: { ...DESTINATION, scheduledFor: '2027-01-01T00:00:00Z' } },
      'body.destination.scheduledFor',
      'delay',
    ],
    [
      { destination: { ...DESTINATION, headers: { Authorization: '[REDACTED]' } } },
      'body.destination.headers.Authorization',
      'value itself',
    ],
  ])('400: %j names %s', async (body, path, message) => {
    const reply = await schedules.call('POST', '', { cron: '0 * * * *', destination: DESTINATION, ...body });
    expect(reply.status).toBe(400);
    const { issues } = errorOf(reply).details as { issues: { path: string; message: string }[] };
    expect(issues).toContainEqual({ path, message: expect.stringContaining(message) });
  });
});

test('PATCH changes what it names; a secret of a destination that stays is still sent', async () => {
  const { id } = await schedules.create({
    destination: { ...DESTINATION, headers: { Authorization: 'Bearer s3cret' } },
  });
  const changed = scheduleIn(await schedules.call('PATCH', `/${id}`, { cron: '30 4 * * *', name: 'nightly' }));
  expect(changed).toMatchObject({
    cron: '30 4 * * *',
    name: 'nightly',
    destination: { headers: { Authorization: '[REDACTED]' } },
  });
  expect(changed.nextRunAt).toMatch(/T04:30:00\.000Z$/);
  expect((await schedules.firing(id, '2026-11-23T04:30:00.000Z')).outcome).toBe('published');
  expect((await schedules.firing(id, '2026-11-23T05:00:00.000Z')).outcome).toBe('none');
});

test('pause and resume are the row first: nextRunAt goes and comes back', async () => {
  const { id } = await schedules.create({});
  expect(scheduleIn(await schedules.call('POST', `/${id}/pause`, {}))).toMatchObject({ paused: true, nextRunAt: null });
  expect((await schedules.firing(id, '2026-11-23T09:00:00.000Z')).outcome).toBe('none');
  const resumed = scheduleIn(await schedules.call('POST', `/${id}/resume`, {}));
  expect(resumed.paused).toBe(false);
  expect(resumed.nextRunAt).not.toBeNull();
});

describe('DELETE', () => {
  test('takes what it carried and keeps its messages', async () => {
    const { id } = await schedules.create({});
    const { messageIds } = await schedules.firing(id, '2026-11-23T09:00:00.000Z');
    expect((await schedules.call('DELETE', `/${id}`)).status).toBe(200);
    expect((await schedules.call('GET', `/${id}`)).status).toBe(404);
    expect((await schedules.call('DELETE', `/${id}`)).status).toBe(404);
    const [row] = await api.database.asOwner('SELECT destination, body, headers FROM schedules WHERE id = $1', [id]);
    expect(row).toEqual({ destination: {}, body: null, headers: null });
    const listed = await api.call('GET', `/api/v2/messages?scheduleId=${id}`, { key });
    expect((listed.json as { data: { messageId: string }[] }).data.map((message) => message.messageId)).toEqual(
      messageIds,
    );
  });

  test('in a protected environment needs confirmProtected', async () => {
    const production = await api.createKey(api.database.tenants.production);
    const protectedOnes = new Schedules(api, production.key, testVault());
    const { id } = await protectedOnes.create({});
    expect((await protectedOnes.call('DELETE', `/${id}`)).status).toBe(400);
    expect((await protectedOnes.call('GET', `/${id}`)).status).toBe(200);
    expect((await protectedOnes.call('DELETE', `/${id}?confirmProtected=true`)).status).toBe(200);
  });
});

test('preview answers the next ten times', async () => {
  const reply = await schedules.call('GET', '/preview?cron=0%209%20*%20*%20MON-FRI&timezone=Europe/Berlin');
  const { data } = reply.json as { data: { times: string[] } };
  expect(data.times).toHaveLength(10);
  expect(data.times.every((time) => /T0[78]:00:00\.000Z$/.test(time))).toBe(true);
});
