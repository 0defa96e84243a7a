import { nothing, type RouteFixtures } from '../suites/fixture.ts';

export const fixtures: RouteFixtures = {
  'signingKeys.list': {
    request: nothing,
    plantRow: (world) =>
      world.api.call('POST', '/api/v2/signing-keys/rotate', { key: world.key, body: { gracePeriodSeconds: 3_600 } }),
  },
  'signingKeys.rotate': { request: () => Promise.resolve({ body: { gracePeriodSeconds: 86_400 } }) },
};
