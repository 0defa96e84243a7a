import { describe, expect, test } from 'vitest';
import { PauseWatch } from '../../../activities/adapters/pause-watch.ts';
import { SendFence } from '../../../activities/adapters/send-fence.ts';
import { SetClocks } from '../../harness/set-clocks.ts';

const LIMITS = { pausedMsMax: 5_000, lastsMs: 60_000 };

describe('the pause watch', () => {
  test('counts no pause while the timer beats, also where it is late by less than a beat', () => {
    const clocks = new SetClocks();
    const measured = clocks.pauses.measure();
    clocks.run(10_000);
    clocks.run(9_980, 249);
    expect(measured()).toEqual({ elapsedMs: 19_980, pausedMs: 0 });
  });

  test('counts a pause where the timer runs first on waking, and leaves a fresh beat behind', () => {
    const clocks = new SetClocks();
    const measured = clocks.pauses.measure();
    clocks.pause(15_000);
    clocks.beatNow();
    clocks.run(1_000);
    expect(measured()).toEqual({ elapsedMs: 16_000, pausedMs: 15_000 });
  });

  test('counts a pause where the one who asks runs first, and counts it once', () => {
    const clocks = new SetClocks();
    const measured = clocks.pauses.measure();
    clocks.pause(15_000);
    expect(measured().pausedMs).toBe(15_000);
    clocks.beatNow();
    expect(measured().pausedMs).toBe(15_000);
  });

  test('adds up pauses that are short by themselves', () => {
    const clocks = new SetClocks();
    const measured = clocks.pauses.measure();
    for (let nth = 0; nth < 4; nth += 1) {
      clocks.run(500);
      clocks.pause(2_000);
      clocks.beatNow();
    }
    expect(measured()).toEqual({ elapsedMs: 10_000, pausedMs: 8_000 });
  });

  test('leaves out what was before: a pause that ends as the measure begins, and older ones', () => {
    const clocks = new SetClocks();
    clocks.pause(15_000);
    clocks.beatNow();
    clocks.pause(15_000);
    const measured = clocks.pauses.measure();
    clocks.run(1_000);
    expect(measured()).toEqual({ elapsedMs: 1_000, pausedMs: 0 });
  });

  test('counts the sleep of a machine whose monotonic clock slept too, and no clock that is set back', () => {
    const clocks = new SetClocks();
    const measured = clocks.pauses.measure();
    clocks.setBack(3_600_000);
    clocks.run(500);
    clocks.sleep(15_000);
    clocks.beatNow();
    clocks.setBack(15_000);
    clocks.pause(7_000);
    expect(measured()).toEqual({ elapsedMs: 7_500, pausedMs: 22_000 });
  });

  test('notices that this process was blocked, by its own clocks', () => {
    const pauses = new PauseWatch();
    const measured = pauses.measure();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    expect(measured().pausedMs).toBeGreaterThanOrEqual(600);
    pauses.close();
  });
});

describe('the fence of a call', () => {
  test('is open until the pauses come to more than their most, and stays closed', () => {
    const clocks = new SetClocks();
    const fence = new SendFence(clocks.pauses, LIMITS);
    clocks.pause(5_000);
    expect(fence.closedBy()).toBeNull();
    clocks.pause(500);
    expect(fence.closedBy()).toContain('the worker was paused for 5500 ms after it took up the call');
    clocks.run(1_000);
    expect(fence.closedBy()).toContain('5500 ms');
    expect(new SendFence(clocks.pauses, LIMITS).closedBy()).toBeNull();
  });

  test('is closed once the call has lasted too long, without any pause', () => {
    const clocks = new SetClocks();
    const fence = new SendFence(clocks.pauses, LIMITS);
    clocks.run(60_000);
    expect(fence.closedBy()).toBeNull();
    clocks.run(250);
    expect(fence.closedBy()).toContain('not sent within 60000 ms');
  });
});
