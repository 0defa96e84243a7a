import { expect, test } from 'vitest';
import { everyCap } from '../harness/in-flight-caps.ts';
import { startTestService } from '../harness/service.ts';
import { PATIENCE_MS } from '../harness/patience.ts';
import { inForm } from './form.ts';

/** Schedules that are due in the same second all fire, each once. Temporal starts 30 a second by default. */
const SCHEDULES = inForm({ short: 100, full: 1_000 });
const CREATED_AT_ONCE = 10;
/** Made first, and due on another day: how long they take says how far away the slot of the others must be. */
const SCOUTS = SCHEDULES / 10;
/** The others may take so many times as long, for a machine that others use too. */
const LEAD_FACTOR = 3;
const LEAD_MS_MIN = 10_000;
const TIMEOUT_MS = inForm({ short: 6 * PATIENCE_MS, full: 1_800_000 });

const service = await startTestService({ inFlightCaps: everyCap(1) });

interface Lag {
  runs: number;
  published: number;
  p50: number;
  p99: number;
  most: number;
}

async function lagOf(nominalAt: Date): Promise<Lag> {
  const [lag] = await service.database.asOwner<Lag>(
    `WITH fired AS (SELECT outcome, extract(epoch FROM fired_at - nominal_at)::float8 AS late FROM schedule_runs WHERE nominal_at = $1)
     SELECT count(*)::int AS runs, count(*) FILTER (WHERE outcome = 'published')::int AS published,
       COALESCE(percentile_cont(0.5) WITHIN GROUP (ORDER BY late), 0) AS p50,
       COALESCE(percentile_cont(0.99) WITHIN GROUP (ORDER BY late), 0) AS p99, COALESCE(max(late), 0) AS most FROM fired`,
    [nominalAt],
  );
  if (lag === undefined) throw new Error('an aggregate answers one row');
  return lag;
}

/** Nothing is delivered meanwhile: the lag of the firings is what is measured. Returns how long it took. */
async function create(count: number, cron: string): Promise<number> {
  const startedMs = Date.now();
  // On a machine that others use a firing may be late by more than the default catch-up, and Temporal would drop it.
  const body = { cron, catchUpSeconds: 3_600, destination: { url: 'https://shop.example/hook', delay: '1d' } };
  for (let made = 0; made < count; made += CREATED_AT_ONCE) {
    const replies = await Promise.all(
      Array.from({ length: CREATED_AT_ONCE }, () => service.post('/api/v2/schedules', body)),
    );
    expect(replies.map((reply) => reply.status)).toEqual(replies.map(() => 201));
  }
  return Date.now() - startedMs;
}

/** The cron expression of one second, which comes once a year. */
function cronOf(due: Date): string {
  const [second, minute, hour] = [due.getUTCSeconds(), due.getUTCMinutes(), due.getUTCHours()];
  return `${second} ${minute} ${hour} ${due.getUTCDate()} ${due.getUTCMonth() + 1} *`;
}

test(`${SCHEDULES} schedules that are due in the same second all fire`, { timeout: TIMEOUT_MS }, async () => {
  const HALF_A_YEAR_MS = 180 * 86_400_000;
  const scoutedMs = await create(SCOUTS, cronOf(new Date(Date.now() + HALF_A_YEAR_MS)));
  const leadMs = LEAD_MS_MIN + LEAD_FACTOR * scoutedMs * (SCHEDULES / SCOUTS);
  const due = new Date(Math.ceil((Date.now() + leadMs) / 1_000) * 1_000);
  await create(SCHEDULES, cronOf(due));
  expect(Date.now(), 'all of them are made before they are due').toBeLessThan(due.getTime());
  const wait = due.getTime() - Date.now();
  await expect
    .poll(async () => (await lagOf(due)).published, { timeout: wait + 3 * PATIENCE_MS, interval: 500 })
    .toBe(SCHEDULES);
  const lag = await lagOf(due);
  expect(lag.runs).toBe(SCHEDULES);
  const [p50, p99, most] = [lag.p50, lag.p99, lag.most].map((seconds) => seconds.toFixed(2));
  console.log(`${SCHEDULES} schedules fired after their slot, in seconds: p50 ${p50}, p99 ${p99}, the last ${most}`);
});
