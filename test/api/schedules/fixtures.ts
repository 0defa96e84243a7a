import { nothing, planted, type RouteFixtures, unique } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

const EVERY_MORNING = { cron: '0 9 * * MON-FRI', timezone: 'Europe/Berlin' };

/** The id of a paused schedule: what a suite leaves behind fires nothing. */
async function plantSchedule({ api, key, targetUrl }: World): Promise<string> {
  const body = { ...EVERY_MORNING, destination: { url: targetUrl, body: { report: 'daily' } }, paused: true };
  const { id } = await planted<{ id: string }>(api.call('POST', '/api/v2/schedules', { key, body }));
  return id;
}

const schedule = async (world: World): Promise<FixtureRequest> => ({
  params: { scheduleId: await plantSchedule(world) },
});

export const fixtures: RouteFixtures = {
  'schedules.create': {
    request: () =>
      Promise.resolve({
        body: {
          name: unique('daily report'),
          ...EVERY_MORNING,
          destination: { url: 'https://shop.example/webhooks/reports', body: { report: 'daily' } },
          paused: true,
        },
      }),
  },
  'schedules.list': { request: nothing, plantRow: plantSchedule },
  'schedules.get': { request: schedule },
  'schedules.update': { request: async (world) => ({ ...(await schedule(world)), body: { cron: '30 8 * * *' } }) },
  'schedules.delete': {
    request: schedule,
    example: async (world) => ({ ...(await schedule(world)), body: { confirmProtected: true } }),
  },
  'schedules.pause': {
    request: async (world) => {
      const { params } = await schedule(world);
      await world.api.call('POST', `/api/v2/schedules/${params?.['scheduleId']}/resume`, { key: world.key, body: {} });
      return params === undefined ? {} : { params };
    },
  },
  'schedules.resume': { request: schedule },
  'schedules.run': { request: schedule },
  'schedules.runs': {
    request: schedule,
    listedFrom: 'schedule_runs',
    // A run that is over: one by hand changes while it is looked at.
    plantRow: ({ api }, { params }) =>
      api.database.asOwner(
        `INSERT INTO schedule_runs (environment_id, schedule_id, trigger, nominal_at, outcome, error_code, error_message, fired_at)
         SELECT environment_id, id, 'schedule', date_trunc('second', now()) - random() * interval '30 days', 'skipped', 'OVERLAP',
           'Message msg_0351uaZ1E5EJPJGmJH4Kq6 of an earlier run had not ended.', now()
         FROM schedules WHERE id = $1`,
        [params?.['scheduleId']],
      ),
  },
  'schedules.preview': { request: () => Promise.resolve({ query: EVERY_MORNING }) },
};
