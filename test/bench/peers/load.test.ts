import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { inTurn, type Loaded, runClosed, runOpen } from '../../../bench/peers/load.ts';
import { poissonArrivals } from '../../../bench/peers/schedule.ts';

const NO_CPU = () => ({ side: 0, postgres: 0, engine: 0 });
const PAUSE_MS = 200;

function loadOf(call: Loaded['call']): Loaded {
  return { call, cpu: NO_CPU };
}

/** Keeps this process from sending anything, as a collection of garbage would. */
function pause(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

describe('runOpen', () => {
  it('counts a latency from the time when the call was due, however late it was sent', async () => {
    let sent = 0;
    const call = async (): Promise<void> => {
      if (sent++ === 0) pause(PAUSE_MS);
    };
    const asked = { perSecond: 100, durationMs: 300, seed: 42 };
    const { latenciesMs, due } = await runOpen(loadOf(call), asked);
    expect(latenciesMs).toHaveLength(due);
    // Each took no time once it was sent. Those that were due in the pause waited for its end.
    const [first = 0, ...later] = poissonArrivals(asked.seed, asked.perSecond, asked.durationMs);
    const inPause = later.filter((atMs) => atMs < first + PAUSE_MS / 2).length;
    expect(inPause).toBeGreaterThan(3);
    expect(latenciesMs.filter((ms) => ms >= PAUSE_MS / 2).length).toBeGreaterThanOrEqual(inPause);
  });

  it('says that a side is behind once its backlog is longer than allowed, and sends no more', async () => {
    let sent = 0;
    const call = (): Promise<void> => {
      sent += 1;
      return delay(400);
    };
    const asked = { perSecond: 200, durationMs: 2_000, seed: 42, backlogSecondsMax: 0.1 };
    const { isBehind, latenciesMs, due } = await runOpen(loadOf(call), asked);
    expect(isBehind).toBe(true);
    expect(sent).toBe(0.1 * 200 + 1);
    expect(latenciesMs).toHaveLength(sent);
    expect(due).toBeGreaterThan(sent);
  });

  it('is not behind while the backlog is within what is allowed', async () => {
    const { isBehind, latenciesMs, due } = await runOpen(
      loadOf(() => delay(20)),
      { perSecond: 200, durationMs: 200, seed: 42 },
    );
    expect(isBehind).toBe(false);
    expect(latenciesMs).toHaveLength(due);
  });

  it('throws what a call threw: a benchmark counts no failures', async () => {
    const call = (): Promise<void> => Promise.reject(new Error('answered 500'));
    await expect(runOpen(loadOf(call), { perSecond: 200, durationMs: 50, seed: 42 })).rejects.toThrow('answered 500');
  });
});

describe('runClosed', () => {
  it('keeps as many calls in flight as were asked for, and counts the last ones', async () => {
    let [inFlight, most, sent] = [0, 0, 0];
    const call = async (): Promise<void> => {
      sent += 1;
      inFlight += 1;
      most = Math.max(most, inFlight);
      await delay(20);
      inFlight -= 1;
    };
    const { latenciesMs } = await runClosed(loadOf(call), 3, 50);
    expect(most).toBe(3);
    expect(latenciesMs).toHaveLength(sent);
  });
});

describe('inTurn', () => {
  it('lets every side be first equally often', () => {
    const sides = ['a', 'b', 'c'];
    expect([0, 1, 2, 3].map((round) => inTurn(sides, round).join(''))).toEqual(['abc', 'bca', 'cab', 'abc']);
    expect(inTurn([], 1)).toEqual([]);
  });
});
