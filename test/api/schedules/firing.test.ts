import { describe, expect, test, vi } from 'vitest';
import { recordMissed } from '../../../db/schedules/runs.ts';
import { firingMessageId } from '../../../domain/schedules/firing-id.ts';
import type { FiringRef, RunTrigger } from '../../../domain/schedules/schedules.ts';
import { isId } from '../../../domain/ids.ts';
import { relayStarts } from '../../activities/maintenance/relay-starts.ts';
import { startTestApi } from '../harness/test-api.ts';
import { errorOf } from '../invocations/support.ts';
import { Schedules, testVault } from './support.ts';
import { countRows } from '../harness/count-rows.ts';

const vault = testVault();
const api = await startTestApi({ vault });
const { key } = await api.createKey(api.database.tenant);
const schedules = new Schedules(api, key, vault);

const NINE = '2026-11-23T09:00:00.000Z';
const TEN = '2026-11-23T10:00:00.000Z';
const ELEVEN = '2026-11-23T11:00:00.000Z';

const idOf = (scheduleId: string, at: string, trigger: RunTrigger = 'schedule'): string =>
  firingMessageId({ scheduleId, trigger, nominalAt: new Date(at), endpointId: null });

async function messageOf(messageId: string): Promise<Record<string, unknown>> {
  const [row] = await api.database.asOwner<Record<string, unknown>>(
    'SELECT schedule_id, url, published_by, label FROM messages WHERE id = $1',
    [messageId],
  );
  return row ?? {};
}

describe('a firing', () => {
  test('publishes once, however often it is tried', async () => {
    const { id, createdBy } = await schedules.create({
      destination: {
        url: 'https://shop.example/hook',
        headers: { Authorization: 'Bearer s3cret-token' },
        label: 'daily',
      },
    });
    const tries = await Promise.all([
      schedules.firing(id, NINE),
      schedules.firing(id, NINE),
      schedules.firing(id, NINE),
    ]);
    const messageId = idOf(id, NINE);
    expect(isId('message', messageId)).toBe(true);
    expect(tries).toEqual(tries.map(() => ({ outcome: 'published', messageIds: [messageId] })));
    expect(await messageOf(messageId)).toEqual({
      schedule_id: id,
      url: 'https://shop.example/hook',
      published_by: createdBy,
      label: 'daily',
    });
    const shown = await api.call('GET', `/api/v2/messages/${messageId}`, { key });
    expect(shown.json).toMatchObject({
      data: { headers: { Authorization: '[REDACTED]' }, label: 'daily', scheduleId: id },
    });
    expect(await schedules.runs(id)).toEqual([
      expect.objectContaining({
        trigger: 'schedule',
        nominalTime: NINE,
        outcome: 'published',
        error: null,
        messages: [{ messageId, status: 'pending' }],
      }),
    ]);
  });

  test('publishes once also where its run is kept no longer and the plan was changed since', async () => {
    const { workspaceId } = api.database.tenant;
    const planIs = (plan: string) =>
      api.database.asOwner('UPDATE workspaces SET plan = $2 WHERE id = $1', [workspaceId, plan]);
    const [{ plan } = { plan: '' }] = await api.database.asOwner<{ plan: string }>(
      'SELECT plan FROM workspaces WHERE id = $1',
      [workspaceId],
    );
    const { id } = await schedules.create({ overlap: 'allow_all' });
    const messagesOf = () =>
      api.database.asOwner<{ id: string; retention: string }>(
        'SELECT id, retention FROM messages WHERE schedule_id = $1 ORDER BY id',
        [id],
      );
    try {
      await planIs('free');
      expect((await schedules.firing(id, NINE)).outcome).toBe('published');
      const [first] = await messagesOf();
      await api.database.asOwner('DELETE FROM schedule_runs WHERE schedule_id = $1', [id]);
      await planIs('growth');
      await schedules.firing(id, TEN); // in the class of the new plan
      const again = await schedules.firing(id, NINE);
      expect(again).toEqual({ outcome: 'published', messageIds: [idOf(id, NINE)] });
      const messages = await messagesOf();
      expect(messages.map((message) => message.id)).toEqual([idOf(id, NINE), idOf(id, TEN)]);
      expect(messages[0]).toEqual(first);
      expect(messages[1]?.retention).not.toBe(first?.retention);
      expect((await schedules.runs(id)).map((run) => run.messages.map(({ messageId }) => messageId))).toEqual([
        [idOf(id, TEN)],
        [idOf(id, NINE)],
      ]);
    } finally {
      await planIs(plan);
    }
  });

  test('to a topic publishes one event, also where its run is kept no longer', async () => {
    const topic = await api.call('POST', '/api/v2/events/topics', { key, body: { name: 'reports' } });
    expect(topic.status).toBe(201);
    const destination = { topic: 'reports', eventType: 'report.due', body: { report: 'daily' } };
    const { id } = await schedules.create({ destination });
    const fired = { outcome: 'published', messageIds: [] };
    expect(await Promise.all([schedules.firing(id, NINE), schedules.firing(id, NINE)])).toEqual([fired, fired]);
    const [run] = await schedules.runs(id);
    expect(run).toMatchObject({ outcome: 'published', messages: [], eventId: expect.stringMatching(/^evt_/) });
    expect(new Set(schedules.fannedOut)).toEqual(new Set([run?.eventId]));
    const shown = await api.call('GET', `/api/v2/events/${run?.eventId}`, { key });
    expect(shown.json).toMatchObject({
      data: {
        id: `${id}.schedule.${NINE}`,
        type: 'report.due',
        topic: 'reports',
        occurredAt: NINE,
        data: { report: 'daily' },
      },
    });
    await api.database.asOwner('DELETE FROM schedule_runs WHERE schedule_id = $1', [id]);
    expect(await schedules.firing(id, NINE)).toEqual(fired);
    expect((await schedules.runs(id)).map(({ eventId }) => eventId)).toEqual([run?.eventId]);
    expect((await api.call('DELETE', '/api/v2/events/topics/reports', { key })).status).toBe(200);
    expect((await schedules.firing(id, TEN)).outcome).toBe('failed');
    expect((await schedules.runs(id))[0]).toMatchObject({
      outcome: 'failed',
      error: { code: 'NOT_FOUND' },
      eventId: null,
    });
  });

  test('with a flow-control key is in the lane of the key, once however often it is tried', async () => {
    const destination = { url: 'https://shop.example/hook', flowControl: { key: 'shop.example', parallelism: 1 } };
    const { id } = await schedules.create({ overlap: 'allow_all', destination });
    for (const slot of [NINE, TEN, NINE]) {
      expect(await schedules.firing(id, slot)).toEqual({ outcome: 'published', messageIds: [idOf(id, slot)] });
    }
    const queued = await api.database.asOwner(
      `SELECT q.message_id AS id, q.state, l.key FROM lane_queue q JOIN lanes l ON l.id = q.lane_id
       WHERE q.message_id = ANY($1) ORDER BY q.due_at`,
      [[idOf(id, NINE), idOf(id, TEN)]],
    );
    expect(queued).toEqual([NINE, TEN].map((slot) => ({ id: idOf(id, slot), state: 'ready', key: 'shop.example' })));
  });

  test('keeps the runs of the last hour, also beyond the newest 1,000', async () => {
    const { id } = await schedules.create({ overlap: 'allow_all' });
    await schedules.firing(id, NINE);
    const kept = () => countRows(api.database, 'schedule_runs WHERE schedule_id = $1 AND nominal_at = $2', [id, NINE]);
    await api.database.asOwner(
      `INSERT INTO schedule_runs (environment_id, schedule_id, trigger, nominal_at, outcome, error_code, error_message, fired_at)
       SELECT $1, $2, 'schedule', $3::timestamptz + n * interval '1 second', 'skipped', 'OVERLAP', 'planted', now() FROM generate_series(1, 1000) n`,
      [api.database.tenant.environmentId, id, NINE],
    );
    await schedules.firing(id, TEN);
    expect(await kept()).toBe(1);
    await api.database.asOwner(
      `UPDATE schedule_runs SET fired_at = now() - interval '61 minutes' WHERE schedule_id = $1`,
      [id],
    );
    await schedules.firing(id, ELEVEN);
    expect(await kept()).toBe(0);
  });

  test('sorts by its nominal time among other messages', () => {
    const [early, late] = [idOf('sch_1', NINE), idOf('sch_1', TEN)];
    expect(early < late).toBe(true);
    expect(idOf('sch_1', NINE, 'manual')).not.toBe(early);
    expect(idOf('sch_2', NINE)).not.toBe(early);
  });

  test.each([
    ['a time that is no slot', {}, '2026-11-23T09:00:30.000Z'],
    ['the other of two equal hours', { cron: '30 2 * * *', timezone: 'Europe/Berlin' }, '2026-10-25T01:30:00.000Z'],
    ['a paused schedule', { paused: true }, NINE],
  ])('publishes nothing for %s, and records no run', async (_, body, nominalAt) => {
    const { id } = await schedules.create(body);
    expect(await schedules.firing(id, nominalAt)).toEqual({ outcome: 'none', messageIds: [] });
    expect(await schedules.runs(id)).toEqual([]);
  });

  test('of a deleted schedule publishes nothing, and has Temporal forget it', async () => {
    const { id } = await schedules.create({});
    expect((await schedules.call('DELETE', `/${id}`)).status).toBe(200);
    expect(await schedules.firing(id, NINE)).toEqual({ outcome: 'none', messageIds: [] });
    expect(schedules.forgotten).toContain(id);
  });

  test('while the environment is halted is skipped, and not made up', async () => {
    const { id } = await schedules.create({});
    await schedules.setHalt('halt');
    try {
      expect((await schedules.firing(id, NINE)).outcome).toBe('skipped');
    } finally {
      await schedules.setHalt('resume');
    }
    expect((await schedules.firing(id, NINE)).outcome).toBe('skipped');
    expect((await schedules.runs(id))[0]?.error?.code).toBe('ENVIRONMENT_HALTED');
    expect((await schedules.firing(id, TEN)).outcome).toBe('published');
  });

  test('that cannot be published is a failed run with its reason, and the next slot tries again', async () => {
    const { id } = await schedules.create({ overlap: 'allow_all' });
    const [{ key_id: keyId } = { key_id: '' }] = await api.database.asOwner<{ key_id: string }>(
      `SELECT created_by ->> 'id' AS key_id FROM schedules WHERE id = $1`,
      [id],
    );
    const caps = { total: 0 };
    const budget = await api.call('PUT', `/api/v2/budgets/${keyId}`, { key, body: { caps } });
    expect(budget.status, budget.text).toBeLessThan(300);
    try {
      expect(await schedules.firing(id, NINE)).toEqual({ outcome: 'failed', messageIds: [] });
    } finally {
      await api.call('DELETE', `/api/v2/budgets/${keyId}`, { key });
    }
    expect((await schedules.firing(id, TEN)).outcome).toBe('published');
    const [ten, nine] = await schedules.runs(id);
    expect(nine).toMatchObject({
      nominalTime: NINE,
      outcome: 'failed',
      error: { code: 'BUDGET_EXCEEDED' },
      messages: [],
    });
    const crossings = 'SELECT cap_name FROM budget_crossings WHERE api_key_id = $1 AND threshold IS NULL';
    expect(await api.database.asOwner(crossings, [keyId])).toEqual([{ cap_name: 'total' }]);
    expect(ten).toMatchObject({ nominalTime: TEN, outcome: 'published' });
  });
});

test('a slot whose destination does not open is a failed run, and the next one publishes once it does', async () => {
  const destination = { url: 'https://shop.example/hook', headers: { Authorization: 'Bearer s3cret-token' } };
  const { id } = await schedules.create({ destination });
  const sealUnder = (version: number) =>
    api.database.asOwner('UPDATE schedules SET master_key_version = $2 WHERE id = $1', [id, version]);
  await sealUnder(99);
  expect(await schedules.firing(id, NINE)).toEqual({ outcome: 'failed', messageIds: [] });
  await sealUnder(1);
  expect(await schedules.firing(id, NINE)).toMatchObject({ outcome: 'failed' });
  expect(await schedules.firing(id, TEN)).toMatchObject({ outcome: 'published' });
  expect((await schedules.runs(id)).map(({ outcome, error }) => [outcome, error?.code])).toEqual([
    ['published', undefined],
    ['failed', 'INTERNAL_ERROR'],
  ]);
});

test('a slot stays expected until Temporal is told: neither a later firing nor another name takes its place', async () => {
  const { id } = await schedules.create({ overlap: 'allow_all' });
  const dueAt = async () => (await api.database.asOwner('SELECT due_at FROM schedules WHERE id = $1', [id]))[0];
  await api.database.asOwner('UPDATE schedules SET due_at = $2 WHERE id = $1', [id, NINE]);
  expect((await schedules.firing(id, TEN)).outcome).toBe('published');
  expect((await schedules.call('PATCH', `/${id}`, { name: 'another' })).status).toBe(200);
  expect(await dueAt()).toEqual({ due_at: new Date(NINE) });
  await api.database.asOwner('UPDATE schedules SET told_revision = revision, renew_at = now() WHERE id = $1', [id]);
  expect((await schedules.firing(id, NINE)).outcome).toBe('published');
  expect(await dueAt()).toEqual({ due_at: new Date(TEN) });
  expect((await schedules.call('PATCH', `/${id}`, { cron: '30 * * * *' })).status).toBe(200);
  expect(((await dueAt()) as { due_at: Date }).due_at.getTime()).toBeGreaterThan(Date.now());
});

describe('a slot that nobody fired within the catch-up', () => {
  const MINUTE_MS = 60_000;
  const thisMinuteMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const minutesAgo = (minutes: number): string => new Date(thisMinuteMs - minutes * MINUTE_MS).toISOString();
  const expected = async (id: string): Promise<string | undefined> =>
    (
      await api.database.asOwner<{ due_at: Date }>('SELECT due_at FROM schedules WHERE id = $1', [id])
    )[0]?.due_at.toISOString();

  async function expecting(dueAt: string): Promise<string> {
    const { id } = await schedules.create({ cron: '* * * * *', overlap: 'allow_all', catchUpSeconds: 600 });
    await api.database.asOwner(
      'UPDATE schedules SET due_at = $2, told_revision = revision, renew_at = now() WHERE id = $1',
      [id, dueAt],
    );
    return id;
  }

  test('stays expected while later ones fire, so that the sweep finds it; a younger one may be on its way', async () => {
    const lost = await expecting(minutesAgo(20));
    expect((await schedules.firing(lost, minutesAgo(2))).outcome).toBe('published');
    expect(await expected(lost)).toBe(minutesAgo(20));
    const underWay = await expecting(minutesAgo(5));
    expect((await schedules.firing(underWay, minutesAgo(2))).outcome).toBe('published');
    expect(await expected(underWay)).toBe(minutesAgo(1));
    expect((await schedules.firing(lost, minutesAgo(20))).outcome).toBe('published'); // late, but it came
    expect(await expected(lost)).toBe(minutesAgo(19));
  });

  test('has a run once the schedule is paused or fires at other times: missed, or skipped within the catch-up', async () => {
    const slots = [15, 5, 3, 1].map(minutesAgo); // catch-up: 10 minutes
    const outcomes = async (id: string) => {
      const runs = await schedules.runs(id);
      return slots.map((slot) => {
        const run = runs.find(({ nominalTime }) => nominalTime === slot);
        return run === undefined ? null : [run.outcome, run.error?.code ?? null];
      });
    };
    const paused = await expecting(minutesAgo(15));
    expect((await schedules.firing(paused, minutesAgo(3))).outcome).toBe('published');
    expect((await schedules.call('POST', `/${paused}/pause`, {})).status).toBe(200);
    const missed = ['missed', 'CATCH_UP_PASSED'];
    const wanted = [missed, ['skipped', 'PAUSED'], ['published', null], ['skipped', 'PAUSED']];
    expect(await outcomes(paused)).toEqual(wanted);
    expect((await schedules.call('POST', `/${paused}/resume`, {})).status).toBe(200);
    expect((await schedules.firing(paused, minutesAgo(5))).outcome).toBe('skipped'); // not made up
    expect(await outcomes(paused)).toEqual(wanted);

    const changed = await expecting(minutesAgo(15));
    expect((await schedules.call('PATCH', `/${changed}`, { name: 'the same times' })).status).toBe(200);
    expect(await schedules.runs(changed)).toEqual([]);
    const fiveAgo = new Date(minutesAgo(5)).getUTCMinutes();
    expect((await schedules.call('PATCH', `/${changed}`, { cron: `${fiveAgo} * * * *` })).status).toBe(200);
    expect(await outcomes(changed)).toEqual([missed, null, ['skipped', 'CHANGED'], ['skipped', 'CHANGED']]);
    expect(await expected(changed)).toBe(minutesAgo(5)); // the new times name it too: whoever tells Temporal has it fired
    expect((await schedules.firing(changed, minutesAgo(3))).outcome).toBe('skipped');
  });

  test('stays expected where new times name it too, and slots that they alone name are not made up', async () => {
    const [eight, four, two] = [8, 4, 2].map(minutesAgo) as [string, string, string];
    const [atEight, atFour, atTwo] = [eight, four, two].map((slot) => new Date(slot).getUTCMinutes());
    const changeTo = async (id: string, cron: string, from = `${atEight},${atTwo} * * * *`) => {
      await api.database.asOwner('UPDATE schedules SET cron = $2 WHERE id = $1', [id, from]);
      expect((await schedules.call('PATCH', `/${id}`, { cron })).status).toBe(200);
    };
    const found = async (id: string) =>
      (await schedules.runs(id)).map(({ nominalTime, outcome, error }) => [nominalTime, outcome, error?.code ?? null]);

    const wider = await expecting(eight);
    await changeTo(wider, `${atEight},${atFour},${atTwo} * * * *`);
    expect(await expected(wider)).toBe(eight);
    expect(await found(wider)).toEqual([[four, 'skipped', 'CHANGED']]);
    expect((await schedules.firing(wider, four)).outcome).toBe('skipped');

    const begun = await expecting(eight);
    await api.database.asOwner('UPDATE schedules SET told_revision = NULL, renew_at = NULL WHERE id = $1', [begun]);
    expect((await schedules.firing(begun, eight)).outcome).toBe('published');
    await changeTo(begun, `${atEight},${atTwo} 0-23 * * *`);
    expect(await expected(begun)).toBe(two); // the other one has its run

    const done = await expecting(eight);
    for (const slot of [eight, two]) expect((await schedules.firing(done, slot)).outcome).toBe('published');
    await api.database.asOwner('UPDATE schedules SET due_at = $2 WHERE id = $1', [done, eight]);
    await changeTo(done, `${atEight},${atFour},${atTwo} * * * *`);
    expect(Date.parse((await expected(done)) ?? '')).toBeGreaterThan(Date.now());
    expect(await found(done)).toEqual([two, eight].map((slot) => [slot, 'published', null]));

    const halfAnHourAgo = minutesAgo(30);
    const tooMany = await expecting(halfAnHourAgo);
    await api.database.asOwner('UPDATE schedules SET catch_up_seconds = 7200 WHERE id = $1', [tooMany]);
    // It names more slots since than are recorded.
    await changeTo(tooMany, '* * * * * *', `${new Date(halfAnHourAgo).getUTCMinutes()} * * * *`);
    expect(Date.parse((await expected(tooMany)) ?? '')).toBeGreaterThan(Date.now() - 60_000);
    expect(await found(tooMany)).toEqual([[halfAnHourAgo, 'skipped', 'CHANGED']]);
  });

  test('is published where its firing comes all the same', async () => {
    const id = await expecting(NINE);
    const slots = [new Date(NINE), new Date(TEN)];
    const record = () =>
      api.deps.db.withEnvironment(api.database.tenant, (tx) =>
        recordMissed(tx, { scheduleId: id, slots, catchUpSeconds: 600 }),
      );
    expect((await schedules.firing(id, TEN)).outcome).toBe('published');
    expect(await record()).toBe(1); // the other slot has its run
    expect((await schedules.runs(id)).map(({ outcome }) => outcome)).toEqual(['published', 'missed']);
    expect((await schedules.firing(id, NINE)).outcome).toBe('published');
    expect((await schedules.runs(id)).map(({ outcome, error }) => [outcome, error])).toEqual([
      ['published', null],
      ['published', null],
    ]);
    expect(await record()).toBe(0);
  });
});

test('to a URL group publishes one message for each endpoint, once', async () => {
  const group = await api.call('POST', '/api/v2/url-groups', {
    key,
    body: { name: 'reports', endpoints: [{ url: 'https://one.example/' }, { url: 'https://two.example/' }] },
  });
  expect(group.status, group.text).toBe(201);
  const { id } = await schedules.create({ destination: { urlGroup: 'reports', body: { report: 'daily' } } });
  const [first, second] = [await schedules.firing(id, NINE), await schedules.firing(id, NINE)];
  expect(first.messageIds).toHaveLength(2);
  expect(second).toEqual(first);
  const gone = await schedules.create({ destination: { urlGroup: 'nowhere' } });
  expect((await schedules.firing(gone.id, NINE)).outcome).toBe('failed');
  expect((await schedules.runs(gone.id))[0]?.error?.code).toBe('NOT_FOUND');
});

test('messages that are due later have no workflow each beyond the first hundred', async () => {
  const { id } = await schedules.create({
    overlap: 'allow_all',
    destination: { url: 'https://shop.example/hook', delay: '1d' },
  });
  const [first = ''] = (await schedules.firing(id, NINE)).messageIds;
  expect(schedules.started).toContain(first);
  await api.database.asOwner(
    `INSERT INTO lane_queue (message_id, environment_id, workspace_id, state, due_at, has_workflow)
     SELECT 'msg_' || lpad(n::text, 22, '0'), environment_id, workspace_id, 'timed', due_at, true
     FROM lane_queue, generate_series(1, 100) n WHERE message_id = $1`,
    [first],
  );
  const { paced } = schedules;
  const [second = ''] = (await schedules.firing(id, TEN)).messageIds;
  expect(schedules.started).not.toContain(second);
  expect(schedules.paced).toBe(paced + 1);
});

describe('overlap', () => {
  /** The runs of a schedule that the sweep fires, because nobody else did. */
  const unfired = async (scheduleId: string): Promise<string[]> => {
    const fired: string[] = [];
    const startFiring = (firing: FiringRef): Promise<void> => {
      if (firing.scheduleId === scheduleId) fired.push(firing.nominalAt);
      return Promise.resolve();
    };
    await relayStarts({ ...api.deps, startFiring }, api.database, 'firing');
    return fired;
  };

  test('skip: a slot is skipped while the message of an earlier one has not ended', async () => {
    const { id } = await schedules.create({});
    await schedules.firing(id, NINE);
    expect((await schedules.firing(id, TEN)).outcome).toBe('skipped');
    await schedules.end(id);
    expect((await schedules.firing(id, ELEVEN)).outcome).toBe('published');
    expect((await schedules.runs(id)).map((run) => [run.outcome, run.error?.code ?? null])).toEqual([
      ['published', null],
      ['skipped', 'OVERLAP'],
      ['published', null],
    ]);
  });

  test('buffer_one: one run waits, and is published when the message has ended; the sweep finds it', async () => {
    const { id } = await schedules.create({ overlap: 'buffer_one' });
    await schedules.firing(id, NINE);
    expect((await schedules.firing(id, TEN)).outcome).toBe('waiting');
    expect((await schedules.firing(id, ELEVEN)).outcome).toBe('skipped'); // one waits already
    expect((await schedules.firing(id, TEN)).outcome).toBe('waiting'); // a look too early changes nothing
    expect(await unfired(id)).toEqual([]);
    await schedules.end(id);
    expect(await unfired(id)).toEqual([TEN]);
    expect((await schedules.firing(id, TEN)).outcome).toBe('published');
    expect(await unfired(id)).toEqual([]);
  });

  test('buffer_one: the run that waits is started when the message is cancelled', async () => {
    const { id } = await schedules.create({ overlap: 'buffer_one' });
    const { messageIds } = await schedules.firing(id, NINE);
    await schedules.firing(id, TEN);
    expect((await api.call('DELETE', `/api/v2/messages/${messageIds[0]}`, { key })).status).toBe(200);
    const started = api.deps.temporal.workflow.getHandle(`schedule/${id}-${TEN}-waited`);
    const { type } = await vi.waitFor(() => started.describe());
    expect(type).toBe('fireSchedule');
    await started.terminate();
  });

  test('a run that waits or is queued ends with its schedule, and nobody looks for it any more', async () => {
    const { id } = await schedules.create({ overlap: 'buffer_one' });
    await schedules.firing(id, NINE);
    await schedules.firing(id, TEN);
    expect((await schedules.call('POST', `/${id}/run`, {})).status).toBe(202);
    await schedules.end(id);
    expect(await unfired(id)).toHaveLength(2);
    expect((await schedules.call('DELETE', `/${id}`)).status).toBe(200);
    expect(await unfired(id)).toEqual([]);
    const runs = await api.database.asOwner<{ outcome: string; error_code: string | null }>(
      'SELECT outcome, error_code FROM schedule_runs WHERE schedule_id = $1 ORDER BY outcome',
      [id],
    );
    expect(runs.map((run) => [run.outcome, run.error_code])).toEqual([
      ['published', null],
      ['skipped', 'DELETED'],
      ['skipped', 'DELETED'],
    ]);
  });

  test('the retry of a dead letter is no earlier run', async () => {
    const { id } = await schedules.create({ overlap: 'buffer_one' });
    const { messageIds } = await schedules.firing(id, NINE);
    await schedules.firing(id, TEN);
    // A retry keeps its schedule and names the message that it retries.
    await api.database.asOwner(
      `SET session_replication_role = replica; UPDATE messages SET retry_of = 'msg_earlier' WHERE id = '${messageIds[0]}'; RESET session_replication_role`,
    );
    expect(await unfired(id)).toEqual([TEN]);
    expect((await schedules.firing(id, TEN)).outcome).toBe('published');
  });

  test('buffer_one: a run that waits is skipped once the schedule is paused, and the slots after it are not expected', async () => {
    const { id } = await schedules.create({ overlap: 'buffer_one' });
    await schedules.firing(id, NINE);
    await schedules.firing(id, TEN);
    expect((await schedules.call('POST', `/${id}/pause`, {})).status).toBe(200);
    await schedules.tell(id);
    await schedules.end(id);
    expect((await schedules.firing(id, TEN)).outcome).toBe('skipped');
    expect(await schedules.expectedSlot(id)).toBeNull();
  });

  test('a paused schedule has missed nothing, whichever slot its row expects', async () => {
    const { id } = await schedules.create({ paused: true });
    await api.database.asOwner('UPDATE schedules SET due_at = $2 WHERE id = $1', [id, TEN]);
    await schedules.tell(id);
    expect(await schedules.runs(id)).toEqual([]);
    expect(await schedules.expectedSlot(id)).toBeNull();
  });

  test('allow_all: every slot publishes', async () => {
    const { id } = await schedules.create({ overlap: 'allow_all' });
    expect((await schedules.firing(id, NINE)).outcome).toBe('published');
    expect((await schedules.firing(id, TEN)).outcome).toBe('published');
  });
});

describe('POST /run', () => {
  test('queues a run at once, beside the slots and while the schedule is paused', async () => {
    const { id } = await schedules.create({ paused: true });
    const reply = await schedules.call('POST', `/${id}/run`, {});
    expect([reply.status, reply.headers.get('location')]).toEqual([202, `/api/v2/schedules/${id}/runs`]);
    const [run] = await schedules.runs(id);
    expect(run).toMatchObject({ trigger: 'manual', outcome: 'queued', messages: [] });
    const nominalAt = run?.nominalTime ?? '';
    expect((await schedules.firing(id, nominalAt, 'manual')).outcome).toBe('published');
    expect((await schedules.firing(id, nominalAt, 'manual')).outcome).toBe('published'); // the same run
    expect(await schedules.runs(id)).toHaveLength(1);
  });

  test('a firing by hand that nobody asked for is none', async () => {
    const { id } = await schedules.create({});
    expect((await schedules.firing(id, NINE, 'manual')).outcome).toBe('none');
  });

  test('answers 503 while the environment is halted', async () => {
    const { id } = await schedules.create({});
    const { key: plain } = await api.createKey(api.database.tenant, { scopes: ['schedules:write'] });
    await schedules.setHalt('halt');
    try {
      const reply = await api.call('POST', `/api/v2/schedules/${id}/run`, { key: plain, body: {} });
      expect([reply.status, errorOf(reply).code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    } finally {
      await schedules.setHalt('resume');
    }
    expect(await schedules.runs(id)).toEqual([]);
  });
});
