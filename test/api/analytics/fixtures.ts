import { fixtures as schedules } from '../schedules/fixtures.ts';
import { nothing, type RouteFixtures } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

/** A firing of a schedule of its own. */
async function plantExecution(world: World): Promise<void> {
  const runs = schedules['schedules.runs'];
  const request: FixtureRequest = (await runs?.request(world)) ?? {};
  await runs?.plantRow?.(world, request);
}

export const fixtures: RouteFixtures = {
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
