import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { repeatUntilStopped } from '../../activities/repeat-until-stopped.ts';
import { PATIENCE_MS } from '../harness/patience.ts';

const failed = (error: unknown): void => {
  throw error;
};
const LONG_MS = 3_600_000;
/** The pauses behind six steps: 640 and 1,280 ms. */
const TWO_PAUSES_MS = 1_920;
/** Six more steps take 40 s without a wake, and a second with one in each. */
const SIX_PAUSES_MS = 20_000;

/** A step that finds nothing, after which the pause is an hour. */
function idle() {
  let steps = 0;
  let whileItLooks = (): void => undefined;
  const repeated = repeatUntilStopped(
    async () => {
      steps += 1;
      await delay(1);
      whileItLooks();
    },
    { intervalMs: { min: 10, max: LONG_MS }, failed },
  );
  return {
    repeated,
    steps: () => steps,
    looks: (then: () => void) => {
      whileItLooks = then;
    },
  };
}

test('a wake ends a long pause, and the pauses are short again', async () => {
  const { repeated, steps } = idle();
  // Each pause is twice the one before.
  await vi.waitFor(() => expect(steps()).toBe(6), { timeout: PATIENCE_MS });
  await delay(5);
  const wokenAtMs = performance.now();
  repeated.wake();
  await vi.waitFor(() => expect(steps()).toBeGreaterThanOrEqual(8), { timeout: PATIENCE_MS, interval: 1 });
  expect(performance.now() - wokenAtMs).toBeLessThan(TWO_PAUSES_MS);
  await repeated.stop();
});

test('a wake during a step is not lost: the next one comes after the shortest pause', async () => {
  const { repeated, steps, looks } = idle();
  await vi.waitFor(() => expect(steps()).toBe(6), { timeout: PATIENCE_MS });
  looks(() => repeated.wake());
  const beganAtMs = performance.now();
  repeated.wake();
  await vi.waitFor(() => expect(steps()).toBeGreaterThanOrEqual(12), { timeout: PATIENCE_MS, interval: 1 });
  expect(performance.now() - beganAtMs).toBeLessThan(SIX_PAUSES_MS);
  await repeated.stop();
});

test('it stops within a pause', async () => {
  const { repeated, steps } = idle();
  await vi.waitFor(() => expect(steps()).toBe(3));
  await repeated.stop();
  const before = steps();
  await delay(100);
  expect(steps()).toBe(before);
});
