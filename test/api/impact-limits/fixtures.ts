import { randomUUID } from 'node:crypto';
import { nothing, planted, type RouteFixtures, some } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

/** The id of a new limit. */
async function plantImpactLimit({ api, key }: World): Promise<string> {
  const body = { name: `l${randomUUID()}`, dimension: 'emails', cap: 10, period: 'day' };
  const { id } = await planted<{ id: string }>(api.call('POST', '/api/v2/impact-limits', { key, body }));
  return id;
}

const impactLimit = async (world: World): Promise<FixtureRequest> => ({
  params: { id: await plantImpactLimit(world) },
});

export const fixtures: RouteFixtures = {
  'impactLimits.list': { request: nothing, plantRow: plantImpactLimit },
  'impactLimits.create': {
    request: () =>
      Promise.resolve({
        body: { name: `made ${some()}`, dimension: 'emails', cap: 10, period: 'day', thresholds: [80] },
      }),
  },
  'impactLimits.get': { request: impactLimit },
  'impactLimits.update': { request: async (world) => ({ ...(await impactLimit(world)), body: { cap: 5 } }) },
  'impactLimits.archive': { request: impactLimit },
};
