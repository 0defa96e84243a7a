import { readFileSync } from 'node:fs';
import { setImmediate as nextRound } from 'node:timers/promises';

/** A quiet machine takes this long for the yardstick. */
const YARDSTICK_MS = 12;

/** How many times as long as a quiet machine this one takes at the moment; at least 1. */
export function slowness(): number {
  return Math.max(1, yardstickMs() / YARDSTICK_MS);
}

/**
 * The longest stretch for which this thread's event loop did not come round while `work` was under way, in milliseconds of the thread's own
 * CPU: time in which the machine did something else does not count.
 */
export async function longestStretchMs(work: () => Promise<unknown>): Promise<number> {
  const state = { isOver: false };
  let longest = 0;
  const done = work().finally(() => (state.isOver = true));
  let before = cpuMs();
  while (!state.isOver) {
    await nextRound();
    const now = cpuMs();
    longest = Math.max(longest, now - before);
    before = now;
  }
  await done;
  return longest;
}

const YARDSTICK = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => ({ a: index, b: String(index) })));

/** The least of three: the first may include what the engine compiles. */
function yardstickMs(): number {
  return Math.min(
    ...[1, 2, 3].map(() => {
      const before = cpuMs();
      JSON.stringify(JSON.parse(YARDSTICK));
      return cpuMs() - before;
    }),
  );
}

/** Linux: nanoseconds on a CPU, of this thread alone. Elsewhere the time of the clock, which other programs make longer. */
function cpuMs(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}
