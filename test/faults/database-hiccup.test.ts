import { expect, test } from 'vitest';
import type { CallResult } from '../api/harness/test-api.ts';
import { createAction, invocationIn } from '../api/invocations/support.ts';
import { startTestService } from '../harness/service.ts';
import { startTarget } from '../harness/target.ts';
import { violatedInvariants } from './invariants.ts';
import { quietTemporal } from './quiet-temporal.ts';
import { sentTo } from './seen.ts';

const HICCUPS = 12;
const INVOCATIONS = HICCUPS * 3;

quietTemporal();
const [service, target] = await Promise.all([startTestService(), startTarget()]);

/** Ends every connection of the service, those of API, worker and notifications. Returns how many there were. */
async function hiccup(): Promise<number> {
  const ended = await service.database.asOwner(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND usename = $1 AND pid <> pg_backend_pid()`,
    [new URL(service.database.applicationUrl).username],
  );
  return ended.length;
}

test('connections ended again and again: nothing is sent twice, all end in a grade, all callers are answered', async () => {
  // A third answers at once, a third is held until it is released, a third never gives a usable answer.
  const urls = ['/ok?n={{input.n}}', '/hang?n={{input.n}}', '/orders?answer=reset&n={{input.n}}'];
  const actions = await Promise.all(urls.map((url) => createAction(service, { url: `${target.baseUrl}${url}` })));
  const requests = Array.from({ length: INVOCATIONS }, (_, n) => ({
    path: `/api/v2/actions/${actions[n % actions.length]}/invoke`,
    url: (urls[n % urls.length] ?? '').replace('{{input.n}}', String(n)),
    send(): Promise<CallResult> {
      return service.post(this.path, { input: { n } }, { 'Idempotency-Key': `hiccup-${n}` });
    },
  }));

  await hiccup();
  const first: Promise<CallResult>[] = [];
  let ended = 0;
  for (let i = 0; i < HICCUPS; i++) {
    const before = await admitted();
    const three = requests.slice(i * 3, i * 3 + 3).map((request) => request.send());
    first.push(...three);
    let replies = 0;
    for (const reply of three) void reply.then(() => replies++);
    // Two of three are admitted, however slow the machine is, unless all were refused.
    await expect.poll(async () => (await admitted()) >= before + 2 || replies === 3, { interval: 5 }).toBe(true);
    ended += await hiccup();
  }
  expect(ended).toBeGreaterThan(HICCUPS);
  await Promise.all([target.release(), hiccup()]);
  const releasing = setInterval(() => void target.release(), 200);
  const replies = await Promise.all(first);
  const last = await Promise.all(requests.map((request) => answered(request)));
  clearInterval(releasing);

  // A caller cut off before the admission is asked to retry with the same key, and never gets an internal error.
  for (const reply of replies) expect([200, 503], reply.text).toContain(reply.status);
  expect(replies.filter((reply) => reply.status === 200).length).toBeGreaterThan(INVOCATIONS / 3);
  for (const [n, reply] of last.entries()) {
    const { url = '' } = requests[n] ?? {};
    expect(await sentTo(target, url), url).toBeLessThanOrEqual(1);
    expect(invocationIn(reply).grade, url).toMatch(/^(acknowledged|unknown|failed)$/);
  }
  expect(await violatedInvariants(service.database)).toEqual({});
  expect(await admitted()).toBe(INVOCATIONS);
});

async function admitted(): Promise<number> {
  const [count] = await service.database.asOwner('SELECT count(*)::int AS n FROM invocations');
  return Number(count?.['n']);
}

async function answered(request: { send(): Promise<CallResult> }): Promise<CallResult> {
  for (;;) {
    const reply = await request.send();
    if (reply.status === 200) return reply;
    expect(reply.status).toBe(503);
  }
}
