import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnyRoute } from '../../../api/http/define-route.ts';
import { ROUTES } from '../../../api/routes.ts';
import { longestStretchMs } from '../../harness/event-loop.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget, type Target } from '../../harness/target.ts';
import { createWorld } from '../suites/create-world.ts';
import type { World } from '../suites/world.ts';
import { costlyBodies } from './costly-bodies.ts';

/** No request, however large or strange, keeps all others waiting for longer: the issue of each kind is a bound or a thread. */
const STRETCH_MS_MAX = 50;
/** A stretch may include what the engine compiles, or a collection of garbage that is not this request's. */
const TRIES = 4;

let world: World;
let target: Target;
beforeAll(async () => {
  target = await startTarget();
  // The harness's own check of the reply takes longer than the route.
  const api = await startTestService({ onReply: () => undefined });
  world = await createWorld({ api, targetUrl: `${target.baseUrl}/ok` });
});
afterAll(async () => {
  await world.api.close();
  await target.stop();
});

const TAKE_BODIES = ROUTES.filter(({ method }) => method !== 'GET').map((route): [string, AnyRoute] => [route.id, route]);

test.each(TAKE_BODIES)('no body of %s holds the event loop', async (_, route) => {
  const { body = {}, raw: __, ...request } = await world.requestFor(route);
  const found: string[] = [];
  for (const [what, text] of costlyBodies(route, body)) {
    const raw = Buffer.from(text);
    let [least, status] = [Infinity, 0];
    for (let tries = 0; tries < TRIES && least > STRETCH_MS_MAX; tries++) {
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
      const send = async (): Promise<void> => void ({ status } = await world.sendAllowed(route, request, { raw, headers }));
      least = Math.min(least, await longestStretchMs(send));
    }
    if (process.env['SHOW'] !== undefined && least > 25) console.log('SHOW', route.id, what, raw.length, status, least.toFixed(0));
    if (least > STRETCH_MS_MAX) found.push(`${what}: ${least.toFixed(0)} ms, then ${status}`);
  }
  expect(found).toEqual([]);
});
