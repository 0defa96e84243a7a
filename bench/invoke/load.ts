import { type CpuTimes, since } from './cpu.ts';

/** One call of one side. Throws if the call did not do everything it should: a benchmark counts no failures. */
export type Call = () => Promise<void>;

export interface Round {
  calls: number;
  seconds: number;
  p50Ms: number;
  p95Ms: number;
  callsPerSecond: number;
  /** CPU time per call, by process: the service and its servers, the bare worker, and the client (with both callers). */
  cpuMsPerCall: CpuTimes;
}

export interface Series {
  concurrency: number;
  governed: { rounds: Round[]; all: Round };
  bare: { rounds: Round[]; all: Round };
}

interface Limits {
  callsMax: number;
  durationMs: number;
}

interface Measured {
  latenciesMs: number[];
  seconds: number;
  cpuMs: CpuTimes;
}

/** Closed loop: a fixed number of callers, each with one call in flight. Waits for the last calls and counts them. */
async function runRound(call: Call, concurrency: number, limits: Limits, cpuTimes: () => CpuTimes): Promise<Measured> {
  const latenciesMs: number[] = [];
  const cpuBefore = cpuTimes();
  const startedAt = performance.now();
  let started = 0;
  const caller = async (): Promise<void> => {
    while (started < limits.callsMax && performance.now() - startedAt < limits.durationMs) {
      started += 1;
      const calledAt = performance.now();
      await call();
      latenciesMs.push(performance.now() - calledAt);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  const seconds = (performance.now() - startedAt) / 1000;
  return { latenciesMs, seconds, cpuMs: since(cpuBefore, cpuTimes()) };
}

/** Warm-up of both sides, then rounds in turn (governed, bare, governed, bare ...), so that a slow minute of the machine hits both. */
export async function runSeries(options: {
  governed: Call;
  bare: Call;
  concurrency: number;
  rounds: number;
  limits: Limits;
  warmUpMs: number;
  cpuTimes: () => CpuTimes;
  onRound: (side: 'governed' | 'bare', round: Round) => void;
}): Promise<Series> {
  const { concurrency, limits, cpuTimes } = options;
  const warmUp = { callsMax: Infinity, durationMs: options.warmUpMs };
  await runRound(options.governed, concurrency, warmUp, cpuTimes);
  await runRound(options.bare, concurrency, warmUp, cpuTimes);
  const measured = { governed: [] as Measured[], bare: [] as Measured[] };
  for (let number = 0; number < options.rounds; number++) {
    for (const side of ['governed', 'bare'] as const) {
      const one = await runRound(options[side], concurrency, limits, cpuTimes);
      measured[side].push(one);
      options.onRound(side, summarize([one]));
    }
  }
  const sideOf = (rounds: Measured[]) => ({
    rounds: rounds.map((one) => summarize([one])),
    all: summarize(rounds),
  });
  return { concurrency, governed: sideOf(measured.governed), bare: sideOf(measured.bare) };
}

/** Percentiles over the calls of all these rounds; throughput over their total time. */
function summarize(rounds: Measured[]): Round {
  const sorted = rounds.flatMap((round) => round.latenciesMs).sort((a, b) => a - b);
  const seconds = rounds.reduce((sum, round) => sum + round.seconds, 0);
  const cpuMsPerCall: CpuTimes = {};
  for (const { cpuMs } of rounds) {
    for (const [name, ms] of Object.entries(cpuMs)) {
      cpuMsPerCall[name] = (cpuMsPerCall[name] ?? 0) + ms / sorted.length;
    }
  }
  return {
    calls: sorted.length,
    seconds,
    p50Ms: percentile(sorted, 0.5),
    p95Ms: percentile(sorted, 0.95),
    callsPerSecond: sorted.length / seconds,
    cpuMsPerCall,
  };
}

/** The nearest-rank percentile; `values` must be in ascending order. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export interface Ratio {
  /** Over all rounds. */
  overall: number;
  /** Over pairs of a governed round and the bare round after it: the median and the spread. */
  median: number;
  least: number;
  most: number;
}

export function ratioOf(series: Series, figure: 'p50Ms' | 'p95Ms' | 'callsPerSecond'): Ratio {
  const pairs = series.governed.rounds
    .map((round, number) => round[figure] / (series.bare.rounds[number]?.[figure] ?? Number.NaN))
    .sort((a, b) => a - b);
  const middle = pairs.length / 2;
  const median =
    pairs.length % 2 === 1
      ? pairs[Math.floor(middle)]
      : ((pairs[middle - 1] ?? Number.NaN) + (pairs[middle] ?? Number.NaN)) / 2;
  return {
    overall: series.governed.all[figure] / series.bare.all[figure],
    median: median ?? Number.NaN,
    least: pairs[0] ?? Number.NaN,
    most: pairs.at(-1) ?? Number.NaN,
  };
}
