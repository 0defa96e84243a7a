import { plantSecret } from '../secrets/fixtures.ts';
import { type RouteFixtures, workspace } from '../suites/fixture.ts';

export const fixtures: RouteFixtures = {
  'audit.list': { request: workspace, plantRow: plantSecret },
};
