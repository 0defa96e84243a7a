/** The latencies of one side, round by round. */
export interface Measured {
  rounds: number[][];
}

export interface Latencies {
  calls: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  maxMs: number;
}

/** Percentiles (nearest rank) over the calls of all rounds. */
export function summarize({ rounds }: Measured): Latencies {
  const sorted = rounds.flat().sort((a, b) => a - b);
  const percentile = (share: number): number => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
  return {
    calls: sorted.length,
    p50Ms: percentile(0.5),
    p95Ms: percentile(0.95),
    p99Ms: percentile(0.99),
    maxMs: sorted.at(-1) ?? Number.NaN,
  };
}

/** Calls one after the other, and answers how long each took. */
export async function measureCalls(call: () => Promise<void>, calls: number): Promise<number[]> {
  const latenciesMs: number[] = [];
  for (let made = 0; made < calls; made++) {
    const startedAt = performance.now();
    await call();
    latenciesMs.push(performance.now() - startedAt);
  }
  return latenciesMs;
}

/** The same until the time is over. */
export async function measureFor(call: () => Promise<void>, durationMs: number): Promise<number[]> {
  const untilMs = performance.now() + durationMs;
  const latenciesMs: number[] = [];
  while (performance.now() < untilMs) latenciesMs.push(...(await measureCalls(call, 1)));
  return latenciesMs;
}

export function row(name: string, { calls, p50Ms, p99Ms, maxMs }: Latencies): string {
  return `| ${name} | ${p50Ms.toFixed(1)} ms | ${p99Ms.toFixed(1)} ms | ${maxMs.toFixed(1)} ms | ${calls} |`;
}
