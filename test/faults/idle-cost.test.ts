import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { SWEEP_INTERVAL_MS, SWEEP_SCHEDULE_ID } from '../../temporal/maintenance/sweep-maintenance.ts';
import { PATIENCE_MS } from '../harness/patience.ts';
import { StatementCounter } from '../harness/statement-counter.ts';
import { SeparateProcesses } from './separate-processes.ts';

/** What an API and a worker ask PostgreSQL while nothing happens: a small server is not to be kept busy by waiting. */

const STATEMENTS_PER_SECOND_MAX = 2;
/** The looks become rarer while nothing comes. */
const UNTIL_IDLE_MS = 4_000;
/** Five times the longest pause of the looks, so that one more or less makes no difference. */
const WINDOW_MS = 20_000;

const processes = await SeparateProcesses.start();
const [pooled, direct] = await Promise.all([
  StatementCounter.before(processes.database.applicationUrl),
  StatementCounter.before(processes.database.applicationUrl),
]);
const environment = { DATABASE_URL: pooled.url, DATABASE_LISTEN_URL: direct.url };
const [temporal] = await Promise.all([
  processes.temporalClient(),
  processes.startApi(environment),
  processes.startWorker(environment),
]);

const total = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, n) => sum + n, 0);
/** Since the last call. */
const statements = (): number => total(pooled.counter.take()) + total(direct.counter.take());
const listens = (counts: ReadonlyMap<string, number>): string[] =>
  [...counts.keys()].filter((name) => name.startsWith('LISTEN'));

test('API and worker LISTEN on the connection of DATABASE_LISTEN_URL, and do nothing else there', () => {
  const [onPool, onDirect] = [pooled.counter.take(), direct.counter.take()];
  expect(listens(onPool)).toEqual([]);
  expect(onDirect.get('LISTEN session_ended')).toBe(1); // the API's
  expect(onDirect.get('LISTEN lanes_ready')).toBe(1); // the worker's
  expect([...onDirect.keys()].filter((name) => !name.startsWith('LISTEN') && name !== 'SELECT 1')).toEqual([]);
});

test('an idle API and worker ask at most two statements a second, the sweep of each minute included', async () => {
  const schedule = temporal.schedule.getHandle(SWEEP_SCHEDULE_ID);
  await schedule.pause();
  const sweeps = async () => (await schedule.describe()).info.recentActions;
  /** Waits for the end of the sweep behind so many. Returns how many there are. */
  const untilSwept = async (before: number): Promise<number> => {
    const all = await vi.waitFor(
      async () => {
        const begun = await sweeps();
        expect(begun.length).toBeGreaterThan(before);
        return begun;
      },
      { timeout: PATIENCE_MS, interval: 200 },
    );
    const { workflow } = all.at(-1)?.action ?? {};
    if (workflow === undefined) throw new Error('no sweep was begun');
    await temporal.workflow.getHandle(workflow.workflowId, workflow.firstExecutionRunId).result();
    return all.length;
  };
  await delay(UNTIL_IDLE_MS);
  const swept = await untilSwept(0);
  statements();
  await delay(WINDOW_MS);
  const names = pooled.counter.take();
  const perSecond = ((total(names) + total(direct.counter.take())) * 1_000) / WINDOW_MS;
  const beganAtMs = Date.now();
  await schedule.trigger();
  await untilSwept(swept);
  const ofSweep = statements() - (perSecond * (Date.now() - beganAtMs)) / 1_000;
  const rate = perSecond + (ofSweep * 1_000) / SWEEP_INTERVAL_MS;
  console.log(`${rate.toFixed(2)} statements a second: ${perSecond}, and ${ofSweep.toFixed(0)} of a sweep`, names);
  expect(perSecond).toBeGreaterThan(0);
  expect(ofSweep).toBeGreaterThan(0);
  expect(rate).toBeLessThanOrEqual(STATEMENTS_PER_SECOND_MAX);
});
