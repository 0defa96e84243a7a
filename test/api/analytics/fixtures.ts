import { fixtures as schedules } from '../schedules/fixtures.ts';
import { nothing, type RouteFixtures, unique } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

/** A firing of a schedule of its own. */
async function plantExecution(world: World): Promise<void> {
  const runs = schedules['schedules.runs'];
  const request: FixtureRequest = (await runs?.request(world)) ?? {};
  await runs?.plantRow?.(world, request);
}

/** A run of an agent of its own, folded. */
async function plantAgent(world: World): Promise<void> {
  const { environmentId } = world.api.database.tenant;
  await world.api.database.asOwner(
    `INSERT INTO analytics_rollups (environment_id, kind, is_total, quarter, d1, d2, d3, n, s1, s2, first_at, last_at)
     SELECT $1, 'runs.ended', false, date_bin('15 minutes', now(), 'epoch'), 'succeeded', $2, '1.0', 1, 1200, 4200, now(), now()`,
    [environmentId, unique('agent')],
  );
}

export const fixtures: RouteFixtures = {
  'analytics.overview': { request: nothing },
  'analytics.agents': { request: nothing, plantRow: plantAgent },
  'analytics.trustControl': { request: nothing },
  'analytics.timeSeries': {
    request: () => Promise.resolve({ query: { metric: 'runs.ended', groupBy: 'agent', interval: 'hour' } }),
  },
  'analytics.delivery': { request: nothing },
  'analytics.messages': { request: nothing },
  'analytics.topUrls': { request: nothing },
  'analytics.usageCurrent': { request: nothing },
  'analytics.usageHistory': { request: nothing },
  'analytics.schedules': {
    request: nothing,
    plantRow: async (world) => schedules['schedules.get']?.request(world),
  },
  'analytics.scheduleExecutions': { request: nothing, plantRow: plantExecution },
  'analytics.errors': { request: nothing },
  'analytics.onboarding': { request: nothing },
};
