import { nothing, type RouteFixtures, workspace } from '../suites/fixture.ts';
import { rotateKey } from './support.ts';

export const fixtures: RouteFixtures = {
  'signingKeys.list': {
    request: nothing,
    plantRow: (world) => rotateKey(world.api, { gracePeriodSeconds: 3_600 }),
  },
  'signingKeys.rotate': {
    request: async (world) => ({ ...(await workspace(world)), body: { gracePeriodSeconds: 86_400 } }),
  },
};
