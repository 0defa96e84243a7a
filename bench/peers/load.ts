import { setTimeout as delay } from 'node:timers/promises';
import { poissonArrivals } from './schedule.ts';
import type { Cpu } from './side.ts';

/** One round of one side. Latencies to a tenth of a millisecond. */
export interface Round {
  seconds: number;
  latenciesMs: number[];
  /** CPU time of all of the round's calls. */
  cpuMs: Cpu;
}

/** One run of one side under an open loop. */
export interface OpenRun extends Round {
  perSecond: number;
  /** The calls that were due. Fewer were sent where the side fell behind. */
  due: number;
  isBehind: boolean;
}

/** How many seconds' worth of calls may be unanswered. Beyond it the side is behind, and the run ends. */
export const BACKLOG_SECONDS_MAX = 2;

/** What a round loads. */
export interface Loaded {
  call(): Promise<unknown>;
  cpu(): Cpu;
}

/**
 * Closed loop: so many callers, each with one call in flight, until the time is over. Waits for the last calls and
 * counts them.
 */
export async function runClosed({ call, cpu }: Loaded, inFlight: number, durationMs: number): Promise<Round> {
  const latenciesMs: number[] = [];
  const before = cpu();
  const startedAtMs = performance.now();
  const caller = async (): Promise<void> => {
    while (performance.now() - startedAtMs < durationMs) {
      const calledAtMs = performance.now();
      await call();
      latenciesMs.push(tenths(performance.now() - calledAtMs));
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  return { seconds: (performance.now() - startedAtMs) / 1_000, latenciesMs, cpuMs: cpuSince(before, cpu()) };
}

/**
 * Open loop: calls are sent when they are due, whatever became of those before. A latency counts from the time when the
 * call was due, so that a side that makes its callers wait is charged for it (no coordinated omission); the timer's own
 * delay, up to 1 ms, is in it.
 */
export async function runOpen(
  { call, cpu }: Loaded,
  {
    perSecond,
    durationMs,
    seed,
    backlogSecondsMax = BACKLOG_SECONDS_MAX,
  }: { perSecond: number; durationMs: number; seed: number; backlogSecondsMax?: number },
): Promise<OpenRun> {
  const arrivals = poissonArrivals(seed, perSecond, durationMs);
  const latenciesMs: number[] = [];
  const calls: Promise<void>[] = [];
  const before = cpu();
  const startedAtMs = performance.now();
  let unanswered = 0;
  let isBehind = false;
  for (const atMs of arrivals) {
    const dueAtMs = startedAtMs + atMs;
    const waitMs = dueAtMs - performance.now();
    if (waitMs > 0) await delay(waitMs);
    if (unanswered > backlogSecondsMax * perSecond) {
      isBehind = true;
      break;
    }
    unanswered += 1;
    const one = call().then(() => {
      unanswered -= 1;
      latenciesMs.push(tenths(performance.now() - dueAtMs));
    });
    one.catch(() => undefined); // thrown below, once the loop waits for all
    calls.push(one);
  }
  await Promise.all(calls);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  return {
    perSecond,
    due: arrivals.length,
    isBehind,
    seconds,
    latenciesMs,
    cpuMs: cpuSince(before, cpu()),
  };
}

function cpuSince(before: Cpu, after: Cpu): Cpu {
  return {
    side: after.side - before.side,
    postgres: after.postgres - before.postgres,
    engine: after.engine - before.engine,
  };
}

/** Every side is first equally often. */
export function inTurn<T>(sides: readonly T[], round: number): T[] {
  const first = sides.length === 0 ? 0 : round % sides.length;
  return [...sides.slice(first), ...sides.slice(0, first)];
}

export function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
