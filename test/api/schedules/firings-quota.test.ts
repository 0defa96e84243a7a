import { beforeEach, describe, expect, test } from 'vitest';
import { setPlan } from '../../../db/plans/plans.ts';
import { PLAN_TABLE } from '../../../domain/plans.ts';
import { parseCron } from '../../../domain/schedules/cron.ts';
import { firingsPerHour } from '../../../domain/schedules/slots.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { errorOf } from '../invocations/support.ts';
import { scheduleIn, testVault } from './support.ts';
import { countRows } from '../harness/count-rows.ts';

/** How often the schedules of a workspace may fire: docs/plans-and-limits.md, "Firings of schedules". */

const INCLUDED = PLAN_TABLE.free.scheduleFiringsPerMinute;
const EACH_SECOND = '* * * * * *';
const EACH_MINUTE = '* * * * *';

const api = await startTestApi({ vault: testVault() });
const { tenant, tenants } = api.database;
const others = await api.database.anotherWorkspace();
for (const { workspaceId } of [tenant, others.development]) {
  await api.database.db.withWorkspace(workspaceId, (tx) => setPlan(tx, 'free'));
}
const [{ key }, { key: staging }, { key: neighbour }] = await Promise.all([
  api.createKey(tenant),
  api.createKey(tenants.staging),
  api.createKey(others.development),
]);
beforeEach(() => api.database.asOwner('DELETE FROM schedules'));

const call = (method: string, path: string, body: unknown, as = key): Promise<CallResult> =>
  api.call(method, `/api/v2/schedules${path}`, { key: as, body });
const create = (cron: string, body: Record<string, unknown> = {}, as = key): Promise<CallResult> =>
  call('POST', '', { cron, destination: { url: 'https://shop.example/hook' }, ...body }, as);
const created = async (cron: string, body: Record<string, unknown> = {}): Promise<string> =>
  scheduleIn(await create(cron, body)).id;
const active = () => countRows(api.database, 'schedules WHERE NOT paused AND deleted_at IS NULL');

/** Active schedules that fire so many times a minute, planted. */
const fire = (perMinute: number): Promise<unknown> =>
  api.database.asOwner(
    `INSERT INTO schedules (id, environment_id, cron, timezone, overlap, catch_up_seconds, destination, body_kind, created_by)
     SELECT 'sch_planted' || n, $1, '${EACH_MINUTE}', 'UTC', 'skip', 60, '{}', 'none', '{}' FROM generate_series(1, $2::integer) n`,
    [api.database.tenant.environmentId, perMinute],
  );

function expectRefused(reply: CallResult): void {
  expect([reply.status, errorOf(reply).code]).toEqual([429, 'QUOTA_EXCEEDED']);
  expect(errorOf(reply).message).toMatch(
    new RegExp(`includes ${INCLUDED} firings of schedules a minute.*pause or delete one`),
  );
}

describe('the firings of a workspace', () => {
  test('reach what the plan includes and no more, over its environments; a neighbour has its own', async () => {
    await fire(INCLUDED - 61);
    await created(EACH_SECOND);
    await created(EACH_MINUTE);
    expectRefused(await create('0 9 * * *'));
    expectRefused(await create(EACH_MINUTE, {}, staging));
    expect((await create(EACH_SECOND, {}, neighbour)).status).toBe(201);
    expect(await active()).toBe(INCLUDED - 61 + 3); // nothing of what was refused stays
  });

  test('of two creates at once for the last place one passes', async () => {
    await fire(INCLUDED - 1);
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, n) => create(EACH_MINUTE, {}, n % 2 === 0 ? key : staging)),
    );
    expect(replies.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([
      201, 429, 429, 429, 429, 429,
    ]);
    expect(await active()).toBe(INCLUDED);
  });

  test('a paused schedule counts nothing, and is refused when it resumes', async () => {
    await fire(INCLUDED);
    const paused = await created(EACH_SECOND, { paused: true });
    expectRefused(await call('POST', `/${paused}/resume`, {}));
    expect((await call('PATCH', `/${paused}`, { cron: EACH_MINUTE })).status).toBe(200);
    expectRefused(await call('POST', `/${paused}/resume`, {}));
    expect((await call('POST', '/sch_planted1/pause', {})).status).toBe(200);
    expect(scheduleIn(await call('POST', `/${paused}/resume`, {})).paused).toBe(false);
    expectRefused(await call('POST', '/sch_planted1/resume', {}));
  });

  test('a PATCH is refused that fires more often, and none that does not', async () => {
    await fire(INCLUDED - 1);
    const id = await created(EACH_MINUTE);
    expectRefused(await call('PATCH', `/${id}`, { cron: '0,30 * * * * *' }));
    expect(scheduleIn(await api.call('GET', `/api/v2/schedules/${id}`, { key })).cron).toBe(EACH_MINUTE);
    await api.database.asOwner(`UPDATE schedules SET cron = '${EACH_SECOND}' WHERE id = 'sch_planted1'`); // above a smaller plan
    for (const body of [{ name: 'the same' }, { cron: '* 9 * * *' }, { cron: '*/5 * * * *' }]) {
      expect((await call('PATCH', `/${id}`, body)).status).toBe(200);
    }
    expectRefused(await call('PATCH', `/${id}`, { cron: '*/2 * * * *' }));
    expect((await api.call('DELETE', '/api/v2/schedules/sch_planted1', { key })).status).toBe(200);
    expect((await call('PATCH', `/${id}`, { cron: '*/2 * * * *' })).status).toBe(200);
  });
});

test.each([
  EACH_SECOND,
  EACH_MINUTE,
  '*/7 * * * *',
  '8-18/2,9,50-59 3 * * MON',
  '5,5,0-5 */13,1-2 0 1 JAN-MAR *',
  '0 09 * * *',
  ' \t7   0\u00a00 1 1\u2003* ',
  '00-59/30 00 12 * * *',
])('the database counts the firings of an hour of %j as the service does', async (cron) => {
  const [row] = await api.database.asOwner('SELECT cron_firings_per_hour($1) AS firings', [cron]);
  expect(row).toEqual({ firings: firingsPerHour(parseCron(cron)) });
});
