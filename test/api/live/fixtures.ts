import { nothing, type RouteFixtures } from '../suites/fixture.ts';

export const fixtures: RouteFixtures = { 'console.stream': { request: nothing } };
