import type { Machine } from '../machine.ts';
import type { CpuTimes } from './cpu.ts';
import { ratioOf, type Ratio, type Round, type Series } from './load.ts';

/** The targets of docs/performance.md. */
export const AIMS = { p50RatioMax: 1.3, throughputRatioMin: 0.7, restMbMax: 250, readySecondsMax: 8 } as const;

export interface Result {
  takenAt: string;
  machine: Machine;
  versions: { node: string; temporal: string; temporalSdk: string; postgres: string };
  commit: string;
  governedCall: { idempotencyKey: boolean; secret: boolean };
  series: Series[];
  restMb: { before: number; after: number };
  readySeconds: { first: number; again: number };
}

const CPU_MS_SHOWN_MIN = 0.05;
const FIGURES = [
  ['p50', 'p50Ms', 'ms'],
  ['p95', 'p95Ms', 'ms'],
  ['throughput', 'callsPerSecond', '/s'],
] as const;

/** For people: one table for each concurrency, then the values that are measured once. Markdown. */
export function render(result: Result): string {
  const { machine, versions, governedCall } = result;
  const extras = [
    ...(governedCall.idempotencyKey ? ['an Idempotency-Key'] : []),
    ...(governedCall.secret ? ['a secret in a header'] : []),
  ];
  return [
    '# A governed invocation beside a bare Temporal workflow',
    '',
    `Taken ${result.takenAt} at commit ${result.commit} on ${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB, ${machine.platform}; ` +
      `load average before: ${machine.loadBefore.toFixed(1)}. ` +
      `Node ${versions.node}, Temporal server ${versions.temporal} with SDK ${versions.temporalSdk}, PostgreSQL ${versions.postgres}.`,
    '',
    `Governed: one HTTP call with ${extras.length === 0 ? 'neither an Idempotency-Key nor a secret' : extras.join(' and ')}, answered with its receipt. ` +
      'Bare: `client.workflow.execute` of a workflow with a local, a regular and a local activity, the regular one making the same call; no database. ' +
      'Both against the same server and the same target, in alternating rounds.',
    '',
    ...result.series.flatMap(renderSeries),
    '## Once',
    '',
    '| | measured | aim |',
    '|---|---|---|',
    `| Memory of API + worker before the runs | ${result.restMb.before.toFixed(0)} MB | ${verdict(result.restMb.before <= AIMS.restMbMax, `at most ${AIMS.restMbMax} MB`)} |`,
    `| Memory of API + worker at rest after the runs | ${result.restMb.after.toFixed(0)} MB | ${verdict(result.restMb.after <= AIMS.restMbMax, `at most ${AIMS.restMbMax} MB`)} |`,
    `| \`npm start\` (built) to ready, new data folder | ${result.readySeconds.first.toFixed(1)} s | ${verdict(result.readySeconds.first <= AIMS.readySecondsMax, `at most ${AIMS.readySecondsMax} s`)} |`,
    `| \`npm start\` (built) to ready, again | ${result.readySeconds.again.toFixed(1)} s | |`,
    '',
  ].join('\n');
}

function renderSeries(series: Series): string[] {
  const { governed, bare } = series;
  const row = ([name, figure, unit]: (typeof FIGURES)[number]): string => {
    const ratio = ratioOf(series, figure);
    const range = `${ratio.least.toFixed(2)} – ${ratio.most.toFixed(2)}`;
    return `| ${name} | ${format(governed.all, figure)} ${unit} | ${format(bare.all, figure)} ${unit} | ${ratio.overall.toFixed(2)} | ${ratio.median.toFixed(2)} (${range}) | ${aimOf(figure, ratio)} |`;
  };
  return [
    `## ${series.concurrency} at once`,
    '',
    '| | governed | bare | ratio | median ratio of the rounds (range) | aim |',
    '|---|---|---|---|---|---|',
    ...FIGURES.map(row),
    '',
    ...renderCpu(governed.all.cpuMsPerCall, bare.all.cpuMsPerCall),
    `${governed.rounds.length} rounds of each side; ${governed.all.calls} governed and ${bare.all.calls} bare calls.`,
    '',
  ];
}

/** CPU time per call, by process. */
function renderCpu(governed: CpuTimes, bare: CpuTimes): string[] {
  const names = Object.keys(governed).filter(
    (name) => Math.max(governed[name] ?? 0, bare[name] ?? 0) >= CPU_MS_SHOWN_MIN,
  );
  const cells = (times: CpuTimes): string =>
    [...names.map((name) => times[name] ?? 0), Object.values(times).reduce((sum, ms) => sum + ms, 0)]
      .map((ms) => ms.toFixed(1))
      .join(' | ');
  return [
    `| CPU time per call, ms | ${names.join(' | ')} | together |`,
    `|---|${'---|'.repeat(names.length + 1)}`,
    `| governed | ${cells(governed)} |`,
    `| bare | ${cells(bare)} |`,
    '',
  ];
}

function format(round: Round, figure: 'p50Ms' | 'p95Ms' | 'callsPerSecond'): string {
  return round[figure].toFixed(1);
}

/** Judged by the ratio over all rounds. */
function aimOf(figure: 'p50Ms' | 'p95Ms' | 'callsPerSecond', ratio: Ratio): string {
  if (figure === 'p50Ms') return verdict(ratio.overall <= AIMS.p50RatioMax, `at most ${AIMS.p50RatioMax}`);
  if (figure === 'callsPerSecond') {
    return verdict(ratio.overall >= AIMS.throughputRatioMin, `at least ${AIMS.throughputRatioMin}`);
  }
  return '';
}

function verdict(isMet: boolean, aim: string): string {
  return `${aim}: ${isMet ? 'met' : '**missed**'}`;
}
