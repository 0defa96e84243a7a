import { Agent, get } from 'node:http';

export interface Round {
  calls: number;
  seconds: number;
  latenciesMs: number[];
}

export interface Summary {
  calls: number;
  p50Ms: number;
  p95Ms: number;
  callsPerSecond: number;
}

/**
 * One GET over a keep-alive connection, from this address of the machine. Throws unless the reply is 200: a benchmark counts no failures.
 */
export function caller(url: string, key: string, concurrency: number, localAddress = '127.0.0.1'): () => Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency, localAddress });
  const headers = { authorization: `Bearer ${key}`, accept: 'application/json' };
  return () =>
    new Promise((resolve, reject) => {
      get(url, { agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          if (response.statusCode === 200) resolve();
          else reject(new Error(`${url} answered ${response.statusCode}: ${Buffer.concat(chunks).toString()}`));
        });
      }).once('error', reject);
    });
}

/** Closed loop: a fixed number of callers, each with one call in flight, until the time is over. */
export async function runRound(call: () => Promise<void>, concurrency: number, durationMs: number): Promise<Round> {
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const loop = async (): Promise<void> => {
    while (performance.now() - startedAt < durationMs) {
      const calledAt = performance.now();
      await call();
      latenciesMs.push(performance.now() - calledAt);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  return { calls: latenciesMs.length, seconds: (performance.now() - startedAt) / 1000, latenciesMs };
}

/** Percentiles over the calls of all rounds; throughput over their total time. */
export function summarize(rounds: readonly Round[]): Summary {
  const sorted = rounds.flatMap((round) => round.latenciesMs).sort((a, b) => a - b);
  const seconds = rounds.reduce((sum, round) => sum + round.seconds, 0);
  const percentile = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return {
    calls: sorted.length,
    p50Ms: percentile(0.5),
    p95Ms: percentile(0.95),
    callsPerSecond: sorted.length / seconds,
  };
}
