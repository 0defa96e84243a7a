import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runRound } from '../http/load.ts';
import { prepareGoverned } from '../invoke/sides.ts';
import { callJson } from '../../embedded/http-json.ts';
import { startModule } from '../invoke/child.ts';
import type { Call } from '../invoke/load.ts';
import { summarize } from '../latencies.ts';
import { describeRun, thisMachine } from '../machine.ts';
import { writeResult } from '../results.ts';
import { openInstallation, type Installation, type Size } from './installation.ts';

/** `npm run bench:scale`: two API and two worker processes behind a balancer, beside one of each. See docs/scaling.md. */

const USAGE = `Usage: npm run bench:scale -- [options]
  --concurrency=32     callers at once
  --seconds=15         of each round
  --rounds=3           of each size, in turn
  --write              keeps the result in bench/results`;
const SIZES: Record<string, Size> = { 'one each': { apis: 1, workers: 1 }, 'two each': { apis: 2, workers: 2 } };
const WARM_UP_MS = 3_000;

interface Round {
  latenciesMs: number[];
  callsPerSecond: number;
}

const { concurrency, roundMs, rounds, write } = readOptions();
const machine = thisMachine();
const takenAt = new Date().toISOString();
const folder = mkdtempSync(path.join(tmpdir(), 'bench-scale-'));
const installation = await openInstallation(folder);
const target = await startModule('../invoke/target.js', []);
try {
  const results = await measure(installation, `http://127.0.0.1:${target.ready.port}/orders`);
  const text = render(results);
  console.log(`\n${text}`);
  if (write) writeResult('scale', takenAt, text, results);
} finally {
  await target.child.stop();
  await installation.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Rounds of the sizes in turn, so that a slow minute of the machine hits both. Throws unless each call was sent exactly once. */
async function measure({ key, start }: Installation, targetUrl: string): Promise<Record<string, Round[]>> {
  const results: Record<string, Round[]> = {};
  let calls = 0;
  let isPrepared = false;
  for (let round = 1; round <= rounds; round++) {
    for (const [name, size] of Object.entries(SIZES)) {
      const running = await start(size);
      try {
        const credentials = credentialsOf(running.balancer.port, key);
        const call = await prepareGoverned(credentials, targetUrl, {
          idempotencyKey: true,
          secret: true,
          isSetUp: isPrepared,
        });
        isPrepared = true;
        calls += (await load(call, WARM_UP_MS)).latenciesMs.length;
        const measured = await load(call, roundMs);
        calls += measured.latenciesMs.length;
        (results[name] ??= []).push(measured);
        const shares = running.balancer.given.join(' + ');
        console.log(`round ${round}, ${name}: ${measured.callsPerSecond.toFixed(1)}/s over ${shares} connections`);
      } finally {
        await running.stop();
      }
    }
  }
  const { body } = await callJson(new URL('/count', targetUrl).href);
  const { count } = body as { count: number };
  if (count !== calls) throw new Error(`${calls} calls were made, and the target saw ${count}`);
  return results;
}

async function load(call: Call, durationMs: number): Promise<Round> {
  const { latenciesMs, seconds } = await runRound(call, concurrency, durationMs);
  return { latenciesMs, callsPerSecond: latenciesMs.length / seconds };
}

function credentialsOf(port: number, key: string) {
  const keys = ['full_access', 'standard'].map((name) => ({ environment: 'development', name, key }));
  return { baseUrl: `http://127.0.0.1:${port}`, keys };
}

function render(results: Record<string, Round[]>): string {
  const lines = Object.entries(results).map(([name, measured]) => {
    const { calls, p50Ms, p95Ms, p99Ms } = summarize({ rounds: measured.map(({ latenciesMs }) => latenciesMs) });
    const rates = measured.map(({ callsPerSecond }) => callsPerSecond.toFixed(1));
    const mean = measured.reduce((sum, { callsPerSecond }) => sum + callsPerSecond, 0) / measured.length;
    const times = [p50Ms, p95Ms, p99Ms].map((ms) => ms.toFixed(0)).join(' | ');
    return `| ${name} | ${mean.toFixed(1)} | ${rates.join(', ')} | ${times} | ${calls} |`;
  });
  return `# Two of each process beside one of each

${describeRun({ takenAt, machine })}

${concurrency} callers in a closed loop, each call a governed action with a secret and an Idempotency-Key, over a TCP
balancer. Callers, target, PostgreSQL, Temporal and all processes share the ${machine.cores} cores.

| Processes | calls a second | in each round | p50 ms | p95 ms | p99 ms | calls |
| --- | --- | --- | --- | --- | --- | --- |
${lines.join('\n')}
`;
}

function readOptions() {
  const text = (byDefault: string) => ({ type: 'string', default: byDefault }) as const;
  const { values } = parseArgs({
    options: {
      concurrency: text('32'),
      seconds: text('15'),
      rounds: text('3'),
      write: { type: 'boolean', default: false },
    },
  });
  const positive = (value: string): number => {
    const number = Number(value);
    if (!Number.isFinite(number) || number <= 0) throw new Error(USAGE);
    return number;
  };
  return {
    concurrency: Math.trunc(positive(values.concurrency)),
    roundMs: positive(values.seconds) * 1_000,
    rounds: Math.trunc(positive(values.rounds)),
    write: values.write,
  };
}
