import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startModule } from '../invoke/child.ts';
import { cpuTimesOf, type CpuTimes } from '../invoke/cpu.ts';
import { type Ratio, runSeries, type Series } from '../invoke/load.ts';
import { startService } from '../invoke/service.ts';
import { prepareGoverned } from '../invoke/sides.ts';
import { describeRun, thisMachine } from '../machine.ts';
import { writeResult } from '../results.ts';

/**
 * `npm run bench:traces`: what traces cost. Two stacks of `npm start` stand beside each other, one with a collector and a sampler and one
 * without, and take governed calls in turn. CPU time is that of the process that is API and worker.
 */
const CALLERS = 8;
const ROUNDS = Number(process.env['ROUNDS'] ?? 8);
const ROUND_MS = 4_000;
const WARM_UP_MS = 8_000;
const SAMPLED_SHARE = '0.1';
const AIM = 1.02;

const stops: (() => Promise<void>)[] = [];
const folder = mkdtempSync(path.join(tmpdir(), 'bench-traces-'));
try {
  const machine = thisMachine();
  const { series, sentBytes } = await measure();
  const takenAt = new Date().toISOString();
  const text = render(series, sentBytes(), describeRun({ takenAt, machine }));
  console.log(`\n${text}`);
  if (!process.argv.includes('--no-write')) writeResult('traces', takenAt, text);
} finally {
  for (const stop of stops.toReversed()) await stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(): Promise<{ series: Series; sentBytes: () => number }> {
  let received = 0;
  const collector = createServer((request, reply) => {
    request.on('data', (chunk: Buffer) => (received += chunk.length)).on('end', () => reply.writeHead(200).end());
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  stops.push(async () => {
    collector.closeAllConnections();
    collector.close();
  });
  const target = await startModule('target.js', []);
  stops.push(() => target.child.stop());
  const targetUrl = `http://127.0.0.1:${target.ready.port}/orders`;
  const sideOf = async (name: string, environment: Record<string, string>) => {
    const service = await startService(path.join(folder, name), [], environment);
    stops.push(() => service.stop());
    const call = await prepareGoverned(service.credentials, targetUrl, { idempotencyKey: true, secret: true });
    return { call, pid: service.pid };
  };
  const traced = await sideOf('traced', {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: SAMPLED_SHARE,
  });
  const untraced = await sideOf('untraced', {});
  const nodeMs = (pid: number): number => cpuTimesOf(pid)['node'] ?? 0;
  const cpuTimes = (): CpuTimes => ({ traced: nodeMs(traced.pid), untraced: nodeMs(untraced.pid) });
  const series = await runSeries({
    governed: traced.call,
    bare: untraced.call,
    concurrency: CALLERS,
    rounds: ROUNDS,
    limits: { callsMax: Infinity, durationMs: ROUND_MS },
    warmUpMs: WARM_UP_MS,
    cpuTimes,
    onRound: (side, { calls, cpuMsPerCall }) => {
      const name = side === 'governed' ? 'traced' : 'untraced';
      console.log(`  ${name.padEnd(8)} ${calls} calls, ${(cpuMsPerCall[name] ?? 0).toFixed(2)} ms of CPU each`);
    },
  });
  return { series, sentBytes: () => received };
}

/** Over pairs of a traced round and the untraced round behind it. */
function ratioOf({ governed, bare }: Series): Ratio {
  const pairs = governed.rounds
    .map((round, at) => (round.cpuMsPerCall['traced'] ?? 0) / (bare.rounds[at]?.cpuMsPerCall['untraced'] ?? Number.NaN))
    .sort((a, b) => a - b);
  const overall = (governed.all.cpuMsPerCall['traced'] ?? 0) / (bare.all.cpuMsPerCall['untraced'] ?? Number.NaN);
  const median = ((pairs[Math.ceil(pairs.length / 2) - 1] ?? 0) + (pairs[Math.floor(pairs.length / 2)] ?? 0)) / 2;
  return { overall, median, least: pairs[0] ?? Number.NaN, most: pairs.at(-1) ?? Number.NaN };
}

function render(series: Series, sentBytes: number, run: string): string {
  const { governed, bare } = series;
  const { overall, median, least, most } = ratioOf(series);
  const row = (name: string, side: Series['bare'], key: string): string =>
    `| ${name} | ${side.all.calls} | ${(side.all.cpuMsPerCall[key] ?? 0).toFixed(2)} | ${side.all.p50Ms.toFixed(1)} |`;
  const [all, middle, from, to] = [overall, median, least, most].map((ratio) => ratio.toFixed(3));
  return `# What traces cost

${run}

Governed calls, ${CALLERS} at once, in ${ROUNDS} rounds of each side in turn; one process is API and worker.

| Side | Calls | CPU of the process, ms a call | p50, ms |
| --- | --- | --- | --- |
${row('10 % of traces sampled', governed, 'traced')}
${row('traces off', bare, 'untraced')}

CPU with traces over without: **${all}** over all calls; of pairs of rounds ${middle} (median; ${from} – ${to}). The aim is at most
${AIM}: ${overall <= AIM ? 'met' : 'missed'}. The collector received ${(sentBytes / 1_000).toFixed(0)} kB.
`;
}
