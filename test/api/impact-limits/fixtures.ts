import { nothing, planted, type RouteFixtures, unique } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

/** The id of a new limit. */
async function plantImpactLimit({ api, key }: World): Promise<string> {
  const body = { name: unique('e-mails a day'), dimension: 'emails', cap: 500, period: 'day' };
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
        body: {
          name: unique('refunds a month'),
          dimension: 'money',
          currency: 'usd',
          cap: 1_000_000,
          period: 'month',
          thresholds: [80],
          scope: { actions: ['refund.large'] },
        },
      }),
  },
  'impactLimits.get': { request: impactLimit },
  'impactLimits.update': { request: async (world) => ({ ...(await impactLimit(world)), body: { cap: 200 } }) },
  'impactLimits.archive': { request: impactLimit },
};
