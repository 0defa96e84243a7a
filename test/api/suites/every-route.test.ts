import { describe, expect, it } from 'vitest';
import type { AnyRoute } from '../../../api/http/define-route.ts';
import { ROUTES } from '../../../api/routes.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { violationsOf } from '../harness/reply-schemas.ts';
import { fixtureFindings, ROUTE_AREAS } from './fixtures.ts';
import { CrashBeforeReply, exemptionFindings } from './reply-suites.ts';
import { isExempt } from './suite.ts';
import { suitesOver } from './suites.ts';
import { createWorld } from './create-world.ts';

const crash = new CrashBeforeReply();
const SUITES = suitesOver(ROUTES, crash);
const byId = (routes: readonly AnyRoute[]): [string, AnyRoute][] => routes.map((route) => [route.id, route]);

const target = await startTarget();
const api = await startTestService({
  onReply: (route, reply) => {
    api.replyViolations.push(...violationsOf(route, reply));
    crash.onReply();
  },
});

const world = await createWorld({ api, targetUrl: `${target.baseUrl}/ok` });

describe('every route', () => {
  it('is served in every area', () => {
    const declared = Object.values(ROUTE_AREAS).flatMap(({ routes }) => routes);
    expect(declared.map(({ id }) => id).sort()).toEqual(ROUTES.map(({ id }) => id).sort());
  });

  it('has a fixture in its own area, and every fixture has a route', () => {
    expect(fixtureFindings(ROUTE_AREAS)).toEqual([]);
  });

  it.each(byId(ROUTES))('%s gives a reason for each suite that passes it by', (_, route) => {
    expect(exemptionFindings(route, SUITES)).toEqual([]);
  });

  for (const suite of SUITES) {
    const covered = ROUTES.filter((route) => suite.covers(route) && !isExempt(suite, route));
    it.each(byId(covered))(`%s ${suite.title}`, async (_, route) => {
      expect(await suite.check(world, route)).toEqual([]);
    });
  }
});
