import { randomBytes } from 'node:crypto';
import { Client, ScheduleNotFoundError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { sweepRows } from '../../../activities/maintenance/sweep-rows.ts';
import { workflowStarts } from '../../../activities/maintenance/workflow-starts.ts';
import { relayStarts } from '../../activities/maintenance/relay-starts.ts';
import { forgetSchedule, putSchedule } from '../../../api/schedules/schedule-client.ts';
import { newId } from '../../../domain/ids.ts';
import { parseCron } from '../../../domain/schedules/cron.ts';
import { firingMessageId } from '../../../domain/schedules/firing-id.ts';
import { isSlot, nextSlots } from '../../../domain/schedules/slots.ts';
import { sealedPayloads } from '../../../process/payload-sealing.ts';
import { temporalScheduleId } from '../../../temporal/schedules/fire-schedule.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { startTestService } from '../../harness/service.ts';
import { startDestination } from '../messages/support.ts';
import { dataOf } from '../invocations/support.ts';
import { runSchema } from '../../../api/schedules/schemas.ts';
import { type Run, type Schedule, scheduleIn } from './support.ts';

const [service, destination] = await Promise.all([startTestService(), startDestination()]);

interface Slot {
  time: string;
  minute: number;
}

async function create(body: Record<string, unknown>): Promise<Schedule> {
  return scheduleIn(await service.post('/api/v2/schedules', { cron: '0 0 1 1 *', ...body }));
}
const runs = async (id: string): Promise<Run[]> =>
  dataOf(await service.get(`/api/v2/schedules/${id}/runs?limit=100`), runSchema.array());
const described = (id: string) => service.client.schedule.getHandle(temporalScheduleId(id)).describe();

async function sweep(): Promise<void> {
  expect((await relayStarts({ ...service.deps, ...service.starters }, service.database, 'schedule')).failed).toBe(0);
}

describe('a schedule', () => {
  test('fires each of its slots once, delivers, and stops when it is paused', async () => {
    const { id } = await create({
      cron: '* * * * * *',
      overlap: 'allow_all',
      destination: {
        url: `${destination.baseUrl}/each-second`,
        headers: { Authorization: 'Bearer s3cret-token' },
        body: { tick: true },
      },
    });
    await expect.poll(() => destination.on('/each-second').length, { timeout: PATIENCE_MS }).toBeGreaterThan(3);
    expect(scheduleIn(await service.post(`/api/v2/schedules/${id}/pause`, {})).paused).toBe(true);
    const all = await runs(id);
    // A slot that came just before the pause may not have been fired by then.
    const fired = all.filter((run) => run.error?.code !== 'PAUSED');
    const times = all.map((run) => run.nominalTime);
    expect(new Set(times).size).toBe(times.length);
    for (const run of fired) {
      expect(run.messages.map((message) => message.messageId)).toEqual([
        firingMessageId({
          scheduleId: id,
          trigger: 'schedule',
          nominalAt: new Date(run.nominalTime),
          endpointId: null,
        }),
      ]);
    }
    await expect.poll(() => destination.on('/each-second').length, { timeout: PATIENCE_MS }).toBe(fired.length);
    const [first] = destination.on('/each-second');
    expect(first).toMatchObject({ method: 'POST', body: '{"tick":true}' });
    expect(first?.headers).toMatchObject({ 'x-service-schedule-id': id, authorization: 'Bearer s3cret-token' });
    // While another schedule fires three slots in a row, none of this one comes.
    const beside = await create({ cron: '* * * * * *', destination: { url: `${destination.baseUrl}/beside` } });
    await expect.poll(async () => (await runs(beside.id)).length, { timeout: PATIENCE_MS }).toBeGreaterThan(2);
    expect((await service.call('DELETE', `/api/v2/schedules/${beside.id}`, { key: service.key })).status).toBe(200);
    expect(await runs(id)).toHaveLength(all.length);
    expect(scheduleIn(await service.get(`/api/v2/schedules/${id}`)).lastRunAt).not.toBeNull();
  });

  test('runs now on request', async () => {
    const { id } = await create({ destination: { url: `${destination.baseUrl}/by-hand` }, paused: true });
    expect((await service.post(`/api/v2/schedules/${id}/run`, {})).status).toBe(202);
    await expect.poll(() => destination.on('/by-hand').length, { timeout: PATIENCE_MS }).toBe(1);
    await expect.poll(async () => (await runs(id))[0]?.messages[0]?.status, { timeout: PATIENCE_MS }).toBe('delivered');
  });

  test('with buffer_one starts the run that waits as soon as the message ends', async () => {
    destination.answer('/buffered', { status: 500 }, { status: 200 });
    const { id } = await create({
      cron: '* * * * * *',
      overlap: 'buffer_one',
      destination: { url: `${destination.baseUrl}/buffered`, retryDelay: '3000', maxRetries: 1 },
    });
    const published = async (): Promise<number> => (await runs(id)).filter((run) => run.outcome === 'published').length;
    await expect.poll(published, { timeout: PATIENCE_MS }).toBeGreaterThan(1);
    expect((await service.call('DELETE', `/api/v2/schedules/${id}`, { key: service.key })).status).toBe(200);
  });
});

describe('the sweep', () => {
  test('makes, changes and deletes what Temporal was not told of', async () => {
    const { id } = await create({ destination: { url: destination.baseUrl } });
    await forgetSchedule(service.client, id); // an API that died between its commit and its call
    await sweep();
    expect((await described(id)).state.paused).toBe(false);
    await service.database.asOwner('UPDATE schedules SET paused = true, revision = revision + 1 WHERE id = $1', [id]);
    await sweep();
    expect((await described(id)).state.paused).toBe(true);
    await service.database.asOwner('UPDATE schedules SET deleted_at = now(), revision = revision + 1 WHERE id = $1', [
      id,
    ]);
    await sweep();
    await expect(described(id)).rejects.toThrow(ScheduleNotFoundError);
    const [row] = await service.database.asOwner('SELECT told_revision, renew_at FROM schedules WHERE id = $1', [id]);
    expect(row).toEqual({ told_revision: null, renew_at: null });
  });

  test.each([
    ['that an operator deleted, once its slot is overdue', `due_at = now() - interval '10 minutes'`],
    ['whose calendars run out', `renew_at = now() - interval '1 second'`],
  ])('recreates a Temporal Schedule %s', async (_, what) => {
    const { id } = await create({ destination: { url: destination.baseUrl } });
    await sweep();
    await forgetSchedule(service.client, id);
    const relayed = { ...service.deps, ...service.starters };
    await sweepRows(relayed, 'workflow-starts', workflowStarts);
    await expect(described(id)).rejects.toThrow(ScheduleNotFoundError); // nothing shows it yet
    await service.database.asOwner(`UPDATE schedules SET ${what} WHERE id = $1`, [id]);
    await sweepRows(relayed, 'workflow-starts', workflowStarts);
    expect((await described(id)).state.paused).toBe(false);
  });
});

describe('what came due before Temporal was told', () => {
  test(
    'is fired once, as far back as the catch-up reaches, and is missed beyond',
    { timeout: PATIENCE_MS },
    async () => {
      const HOUR_MS = 3_600_000;
      const lastSlotMs = Math.floor((Date.now() - HOUR_MS / 2) / 60_000) * 60_000; // half an hour from the test on both sides
      const [last, before, tooOld, oldest] = [0, 1, 2, 3].map((hours) =>
        new Date(lastSlotMs - hours * HOUR_MS).toISOString(),
      );
      const { id } = await create({
        cron: `${new Date(lastSlotMs).getUTCMinutes()} * * * *`,
        catchUpSeconds: 7_200,
        overlap: 'allow_all',
        destination: { url: `${destination.baseUrl}/made-up` },
      });
      const lose = () =>
        service.database.asOwner(
          'UPDATE schedules SET due_at = $2, told_revision = NULL, renew_at = NULL WHERE id = $1',
          [id, oldest],
        );
      const fired = async () =>
        (await runs(id)).map((run) => [
          run.nominalTime,
          run.messages[0]?.status ?? `${run.outcome} ${run.error?.code}`,
        ]);
      const wanted = [
        ...[last, before].map((time) => [time, 'delivered']),
        ...[tooOld, oldest].map((time) => [time, 'missed CATCH_UP_PASSED']),
      ];
      await forgetSchedule(service.client, id);
      await lose();
      await sweep();
      await expect.poll(fired, { timeout: PATIENCE_MS }).toEqual(wanted);
      await lose(); // as where the reply of Temporal was lost: it fires the same slots again
      await sweep();
      const actions = async () => (await described(id)).info.numActionsTaken;
      await expect.poll(actions, { timeout: PATIENCE_MS }).toBe(4);
      const running = async () => (await described(id)).info.runningActions.length;
      await expect.poll(running, { timeout: PATIENCE_MS }).toBe(0);
      expect(await fired()).toEqual(wanted);
      expect(destination.on('/made-up')).toHaveLength(2);
    },
  );

  test('is fired once where the times were changed since and name it too', { timeout: PATIENCE_MS }, async () => {
    const MINUTE_MS = 60_000;
    const [last, between, first] = [20, 30, 40].map((minutes) => {
      const at = new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - minutes * MINUTE_MS);
      return { time: at.toISOString(), minute: at.getUTCMinutes() };
    }) as [Slot, Slot, Slot];
    const { id } = await create({
      cron: `${first.minute},${last.minute} * * * *`,
      catchUpSeconds: 7_200,
      overlap: 'allow_all',
      destination: { url: `${destination.baseUrl}/changed` },
    });
    // Temporal never heard of it, and no firing of these slots has started.
    await forgetSchedule(service.client, id);
    await service.database.asOwner('UPDATE schedules SET due_at = $2 WHERE id = $1', [id, first.time]);
    const cron = `${first.minute},${between.minute},${last.minute} * * * *`;
    const reply = await service.call('PATCH', `/api/v2/schedules/${id}`, { key: service.key, body: { cron } });
    expect(reply.status, reply.text).toBe(200);
    const fired = async () =>
      (await runs(id)).map((run) => [run.nominalTime, run.messages[0]?.status ?? run.error?.code]);
    const wanted = [
      [last.time, 'delivered'],
      [between.time, 'CHANGED'],
      [first.time, 'delivered'],
    ];
    await expect.poll(fired, { timeout: PATIENCE_MS }).toEqual(wanted);
    await sweep(); // nobody has recorded yet what Temporal knows: it fires them all again
    const { info } = await described(id);
    expect(info.numActionsTaken).toBeGreaterThan(3);
    const running = async () => (await described(id)).info.runningActions.length;
    await expect.poll(running, { timeout: PATIENCE_MS }).toBe(0);
    expect(await fired()).toEqual(wanted);
    expect(destination.on('/changed')).toHaveLength(2);
  });
});

test('Temporal is told to start every firing, and for how long after its time', async () => {
  const { id } = await create({ catchUpSeconds: 1_234, overlap: 'skip', destination: { url: destination.baseUrl } });
  const policies = async () => (await described(id)).policies;
  expect(await policies()).toMatchObject({ overlap: 'ALLOW_ALL', catchupWindow: 1_234_000, pauseOnFailure: false });
  expect(
    (await service.call('PATCH', `/api/v2/schedules/${id}`, { key: service.key, body: { catchUpSeconds: 4_321 } }))
      .status,
  ).toBe(200);
  expect(await policies()).toMatchObject({ overlap: 'ALLOW_ALL', catchupWindow: 4_321_000 });
});

test('a schedule that was sealed with a removed key is deleted and created again', async () => {
  const { taskQueue, database } = service;
  const { connection, options } = service.client;
  const [gone, given] = [1, 2].map(
    (version) =>
      new Client({
        connection,
        namespace: options.namespace,
        ...sealedPayloads(`${version}:${randomBytes(32).toString('base64')}`),
      }),
  );
  if (gone === undefined || given === undefined) throw new Error('there are two');
  const ref = { ...database.tenant, scheduleId: newId('schedule') };
  const plan = { cron: '0 0 1 1 *', timezone: 'UTC', catchUpSeconds: 60, paused: true, dueAt: null };
  for (const client of [gone, given]) await putSchedule(client, ref, plan, { environmentName: null, taskQueue });
  const { action, state } = await given.schedule.getHandle(temporalScheduleId(ref.scheduleId)).describe();
  expect([action.args, state.paused]).toEqual([[ref], true]);
  await forgetSchedule(given, ref.scheduleId);
});

describe('the server fires every slot', () => {
  test.each([
    ['30 2 * * *', 'Europe/Berlin', '2026-10-25T01:00:00Z'],
    ['*/30 * * * *', 'Europe/Berlin', '2027-03-28T01:00:00Z'],
    ['*/30 1 * * SUN', 'America/New_York', '2026-11-01T06:00:00Z'],
    ['15 2 13-15 3 *', 'America/New_York', '2027-03-14T07:00:00Z'],
    ['*/15 1-2 * * *', 'Australia/Lord_Howe', '2027-04-03T15:00:00Z'],
    ['*/15 1-2 * * *', 'Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
    ['0 0 1 * 5', 'Asia/Kolkata', '2026-12-31T12:00:00Z'],
    ['15,45 22-23 28-31 2,12 *', 'America/St_Johns', '2026-12-31T12:00:00Z'],
    ['5-50/7 3 * * 6-7', 'Pacific/Chatham', '2027-04-03T14:00:00Z'],
  ])('of %s in %s around %s', async (expression, timezone, around) => {
    const { client, taskQueue, database } = service;
    const ref = { ...database.tenant, scheduleId: newId('schedule') };
    const [from, to] = [-2, 2].map((days) => new Date(Date.parse(around) + days * 86_400_000)) as [Date, Date];
    const plan = { cron: expression, timezone, catchUpSeconds: 60, paused: true, dueAt: null };
    await putSchedule(client, ref, plan, { environmentName: null, taskQueue, now: new Date(around) });
    const reply = await client.workflowService.listScheduleMatchingTimes({
      namespace: client.options.namespace,
      scheduleId: temporalScheduleId(ref.scheduleId),
      startTime: { seconds: Math.floor(from.getTime() / 1_000) as never, nanos: 0 },
      endTime: { seconds: Math.floor(to.getTime() / 1_000) as never, nanos: 0 },
    });
    await forgetSchedule(client, ref.scheduleId);
    const cron = parseCron(expression);
    const fired = reply.startTime
      .map((time) => new Date(Number(time.seconds) * 1_000))
      .filter((time) => isSlot(cron, timezone, time));
    const wanted = nextSlots(cron, timezone, from, 1_000).filter((time) => time <= to);
    expect(fired.length).toBeGreaterThan(0);
    expect(fired).toEqual(wanted);
  });
});
