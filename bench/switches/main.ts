import { randomBytes } from 'node:crypto';
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
 * `npm run bench:traces`, `npm run bench:sealing`: what a switch costs. Two stacks of `npm start` stand beside each other, one with it and
 * one without, and take governed calls in turn. CPU time is that of the process that is API and worker.
 */
const CALLERS = 8;
const ROUNDS = Number(process.env['ROUNDS'] ?? 8);
const ROUND_MS = 4_000;
const WARM_UP_MS = 8_000;
const SAMPLED_SHARE = '0.1';

interface Switch {
  title: string;
  on: string;
  off: string;
  /** The CPU of a call at most, as a ratio to that without it. */
  aim: number;
  environment: (collectorUrl: string) => Record<string, string>;
}

const SWITCHES: Record<string, Switch> = {
  traces: {
    title: 'What traces cost',
    on: '10 % of traces sampled',
    off: 'traces off',
    aim: 1.02,
    environment: (collectorUrl) => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: SAMPLED_SHARE,
    }),
  },
  sealing: {
    title: 'What sealed payloads cost',
    on: 'TEMPORAL_PAYLOAD_KEYS set',
    off: 'not set',
    aim: 1.03,
    environment: () => ({ TEMPORAL_PAYLOAD_KEYS: `1:${randomBytes(32).toString('base64')}` }),
  },
};

const [name = ''] = process.argv.slice(2);
const measured = SWITCHES[name];
if (measured === undefined) throw new Error(`name one of ${Object.keys(SWITCHES).join(', ')}`);
const stops: (() => Promise<void>)[] = [];
const folder = mkdtempSync(path.join(tmpdir(), `bench-${name}-`));
try {
  const machine = thisMachine();
  const { series, sentBytes } = await measure(measured);
  const takenAt = new Date().toISOString();
  const text = render(measured, series, sentBytes(), describeRun({ takenAt, machine }));
  console.log(`\n${text}`);
  if (!process.argv.includes('--no-write')) writeResult(name, takenAt, text);
} finally {
  for (const stop of stops.toReversed()) await stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure({ environment }: Switch): Promise<{ series: Series; sentBytes: () => number }> {
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
  const collectorUrl = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const on = await sideOf('on', environment(collectorUrl));
  const off = await sideOf('off', {});
  const nodeMs = (pid: number): number => cpuTimesOf(pid)['node'] ?? 0;
  const cpuTimes = (): CpuTimes => ({ on: nodeMs(on.pid), off: nodeMs(off.pid) });
  const series = await runSeries({
    governed: on.call,
    bare: off.call,
    concurrency: CALLERS,
    rounds: ROUNDS,
    limits: { callsMax: Infinity, durationMs: ROUND_MS },
    warmUpMs: WARM_UP_MS,
    cpuTimes,
    onRound: (side, { calls, cpuMsPerCall }) => {
      const which = side === 'governed' ? 'on' : 'off';
      console.log(`  ${which.padEnd(4)} ${calls} calls, ${(cpuMsPerCall[which] ?? 0).toFixed(2)} ms of CPU each`);
    },
  });
  return { series, sentBytes: () => received };
}

/** Over pairs of a round with the switch and the round without it behind it. */
function ratioOf({ governed, bare }: Series): Ratio {
  const pairs = governed.rounds
    .map((round, at) => (round.cpuMsPerCall['on'] ?? 0) / (bare.rounds[at]?.cpuMsPerCall['off'] ?? Number.NaN))
    .sort((a, b) => a - b);
  const overall = (governed.all.cpuMsPerCall['on'] ?? 0) / (bare.all.cpuMsPerCall['off'] ?? Number.NaN);
  const median = ((pairs[Math.ceil(pairs.length / 2) - 1] ?? 0) + (pairs[Math.floor(pairs.length / 2)] ?? 0)) / 2;
  return { overall, median, least: pairs[0] ?? Number.NaN, most: pairs.at(-1) ?? Number.NaN };
}

function render({ title, on, off, aim }: Switch, series: Series, sentBytes: number, run: string): string {
  const { governed, bare } = series;
  const { overall, median, least, most } = ratioOf(series);
  const row = (name: string, side: Series['bare'], key: string): string =>
    `| ${name} | ${side.all.calls} | ${(side.all.cpuMsPerCall[key] ?? 0).toFixed(2)} | ${side.all.p50Ms.toFixed(1)} |`;
  const [all, middle, from, to] = [overall, median, least, most].map((ratio) => ratio.toFixed(3));
  return `# ${title}

${run}

Governed calls, ${CALLERS} at once, in ${ROUNDS} rounds of each side in turn; one process is API and worker.

| Side | Calls | CPU of the process, ms a call | p50, ms |
| --- | --- | --- | --- |
${row(on, governed, 'on')}
${row(off, bare, 'off')}

CPU with it over without: **${all}** over all calls; of pairs of rounds ${middle} (median; ${from} – ${to}). The aim is at most
${aim}: ${overall <= aim ? 'met' : 'missed'}.${sentBytes === 0 ? '' : ` The collector received ${(sentBytes / 1_000).toFixed(0)} kB.`}
`;
}
