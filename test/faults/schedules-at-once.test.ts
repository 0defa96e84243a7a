import { afterAll, beforeAll, expect, test } from 'vitest';
import { everyCap } from '../harness/in-flight-caps.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { PATIENCE_MS } from '../harness/patience.ts';
import { inForm } from './form.ts';

/** Schedules that are due in the same second all fire, each once. Temporal starts 30 a second by default. */
const SCHEDULES = inForm({ short: 100, full: 1_000 });
const CREATED_AT_ONCE = 10;
/** The slot is so far away that all of them are made by then. */
const LEAD_MS = inForm({ short: 30_000, full: 300_000 });

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ inFlightCaps: everyCap(1) });
});
afterAll(() => service.close());

interface Lag {
  runs: number;
  published: number;
  middle: number;
  most: number;
}

async function lagOf(nominalAt: Date): Promise<Lag> {
  const [lag] = await service.database.asOwner<Lag>(
    `SELECT count(*)::int AS runs, count(*) FILTER (WHERE outcome = 'published')::int AS published,
       COALESCE(percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM fired_at - nominal_at)), 0)::float8 AS middle,
       COALESCE(max(extract(epoch FROM fired_at - nominal_at)), 0)::float8 AS most
     FROM schedule_runs WHERE nominal_at = $1`,
    [nominalAt],
  );
  if (lag === undefined) throw new Error('an aggregate answers one row');
  return lag;
}

/** Longer than its wait, so that a run that is late says how far it came. */
const TIMEOUT_MS = LEAD_MS + 5 * PATIENCE_MS;

test(`${SCHEDULES} schedules that are due in the same second all fire`, { timeout: TIMEOUT_MS }, async () => {
  const due = new Date(Math.ceil((Date.now() + LEAD_MS) / 1_000) * 1_000);
  const [second, minute, hour] = [due.getUTCSeconds(), due.getUTCMinutes(), due.getUTCHours()];
  const cron = `${second} ${minute} ${hour} ${due.getUTCDate()} ${due.getUTCMonth() + 1} *`;
  // Nothing is delivered meanwhile: the lag of the firings is what is measured.
  const body = { cron, destination: { url: 'https://shop.example/hook', delay: '1d' } };
  for (let made = 0; made < SCHEDULES; made += CREATED_AT_ONCE) {
    const replies = await Promise.all(
      Array.from({ length: CREATED_AT_ONCE }, () => service.post('/api/v2/schedules', body)),
    );
    expect(replies.map((reply) => reply.status)).toEqual(replies.map(() => 201));
  }
  expect(Date.now(), 'all of them are made before they are due').toBeLessThan(due.getTime());
  const wait = due.getTime() - Date.now();
  await expect
    .poll(async () => (await lagOf(due)).published, { timeout: wait + 3 * PATIENCE_MS, interval: 500 })
    .toBe(SCHEDULES);
  const lag = await lagOf(due);
  expect(lag.runs).toBe(SCHEDULES);
  console.log(
    `${SCHEDULES} schedules fired ${lag.middle.toFixed(2)} s (p50) to ${lag.most.toFixed(2)} s (the last) after their slot`,
  );
});
