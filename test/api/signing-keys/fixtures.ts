import { nothing, type RouteFixtures } from '../suites/fixture.ts';

export const fixtures: RouteFixtures = {
  'signingKeys.list': { request: nothing },
  'signingKeys.rotate': { request: () => Promise.resolve({ body: { gracePeriodSeconds: 0 } }) },
};
