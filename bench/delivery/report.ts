import { describeRun, type Machine } from '../machine.ts';
import type { Level } from './options.ts';
import { type BatchRound, percentile, type Round } from './rounds.ts';
import { SIDE_NAMES, type SideName } from './side.ts';

/** The aims of docs/performance.md. */
const AIMS = {
  /** With one outstanding, beside pg-boss. */
  p50TimesMax: 1.5,
  /** With more outstanding, beside pg-boss. */
  rateShareMin: 0.5,
  p99TimesMax: 3,
  cpuMaxMs: 6,
  /** A batch, beside pg-boss. */
  firstTimesMax: 1.5,
  settledTimesMax: 1.3,
};

export interface Result {
  takenAt: string;
  commit: string;
  machine: Machine;
  versions: string[];
  levels: { level: Level; rounds: Record<SideName, Round[]> }[];
  batches: { messages: number; rounds: Partial<Record<SideName, BatchRound[]>> };
}

/** For people, as Markdown. */
export function render(result: Result): string {
  const { takenAt, commit, machine, versions, levels, batches } = result;
  return [
    '# A delivery beside pg-boss, graphile-worker and a bare Temporal workflow',
    '',
    describeRun({ takenAt, commit, machine }),
    `With ${versions.join(', ')}.`,
    '',
    'All send the same signed POST to the same receiver, over one PostgreSQL (fsync on) and one Temporal, in alternating rounds of one run. Publisher, receiver, workers and',
    'servers share the cores. A round ends when its last message is received and settled on record. Ratios: the median of the rounds (range).',
    '',
    ...levels.flatMap(({ level, rounds }) => renderLevel(level, rounds)),
    ...renderBatches(batches),
  ].join('\n');
}

const rateOf = ({ latenciesMs, seconds }: Round): number => latenciesMs.length / seconds;
const cpuOf = ({ latenciesMs, cpuMs }: Round): number => cpuMs / latenciesMs.length;
const latencyOf =
  (share: number) =>
  (round: Round): number =>
    percentile(round.latenciesMs, share);

function renderLevel({ outstanding, messages, rounds: count }: Level, rounds: Record<SideName, Round[]>): string[] {
  const rows = SIDE_NAMES.map((name) => {
    const of = (figure: (round: Round) => number): string => median(rounds[name].map(figure)).toFixed(1);
    const cells = [
      of(rateOf),
      `${of(latencyOf(0.5))} ms`,
      `${of(latencyOf(0.99))} ms`,
      `${of(cpuOf)} ms`,
      ratioText(rounds[name], rounds['pg-boss'], rateOf),
    ];
    return `| ${[name, ...cells].join(' | ')} |`;
  });
  return [
    `## ${outstanding.toLocaleString('en')} outstanding`,
    '',
    '| side | messages a second | p50 | p99 | CPU a message | its rate, of that of pg-boss |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    `${count} rounds of ${messages} messages for each side, medians of the rounds. The service:`,
    '',
    ...aimsOfLevel(outstanding, rounds),
    '',
  ];
}

function aimsOfLevel(outstanding: number, { service, 'pg-boss': boss }: Record<SideName, Round[]>): string[] {
  const cpuMs = median(service.map(cpuOf));
  const cpu = `- CPU a message: ${cpuMs.toFixed(1)} ms; the aim is at most ${AIMS.cpuMaxMs}: ${verdict(cpuMs <= AIMS.cpuMaxMs)}`;
  if (outstanding === 1) return [atMost('p50', service, boss, latencyOf(0.5), AIMS.p50TimesMax), cpu];
  const share = median(ratios(service, boss, rateOf));
  return [
    `- messages a second: ${share.toFixed(2)} of pg-boss; the aim is at least ${AIMS.rateShareMin}: ${verdict(share >= AIMS.rateShareMin)}`,
    atMost('p99', service, boss, latencyOf(0.99), AIMS.p99TimesMax),
    cpu,
  ];
}

function renderBatches({ messages, rounds }: Result['batches']): string[] {
  const sides = SIDE_NAMES.filter((name) => rounds[name] !== undefined);
  if (sides.length === 0) return [];
  const boss = rounds['pg-boss'] ?? [];
  const rows = sides.map((name) => {
    const own = rounds[name] ?? [];
    const of = (figure: keyof BatchRound): string => `${median(own.map((round) => round[figure])).toFixed(0)} ms`;
    const times = ratioText(own, boss, (round) => round.firstMs);
    return `| ${name} | ${of('firstMs')} | ${of('lastMs')} | ${of('settledMs')} | ${times} |`;
  });
  const ours = rounds.service ?? [];
  return [
    `## A batch of ${messages.toLocaleString('en')}`,
    '',
    '| side | first receipt | last receipt | all settled | first, times pg-boss |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
    `${ours.length} batches of each side, medians. The service:`,
    '',
    atMost('first receipt', ours, boss, (round) => round.firstMs, AIMS.firstTimesMax),
    atMost('all settled', ours, boss, (round) => round.settledMs, AIMS.settledTimesMax),
    '',
  ];
}

function atMost<R>(what: string, ours: R[], boss: R[], figure: (round: R) => number, timesMax: number): string {
  const times = median(ratios(ours, boss, figure));
  return `- ${what}: ${times.toFixed(2)} times pg-boss; the aim is at most ${timesMax}: ${verdict(times <= timesMax)}`;
}

/** One side's figure by another's, of the rounds of each turn. */
function ratios<R>(side: readonly R[], other: readonly R[], figure: (round: R) => number): number[] {
  return side.flatMap((round, at) => {
    const beside = other[at];
    return beside === undefined ? [] : [figure(round) / figure(beside)];
  });
}

/** The median of the ratios and their range. */
function ratioText<R>(side: readonly R[], other: readonly R[], figure: (round: R) => number): string {
  const all = ratios(side, other, figure);
  return `${median(all).toFixed(2)} (${Math.min(...all).toFixed(2)} – ${Math.max(...all).toFixed(2)})`;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - (sorted.length % 2 === 0 ? 1 : 0)], sorted[middle]];
  return (low + high) / 2;
}

function verdict(isMet: boolean): string {
  return isMet ? 'met' : '**missed**';
}
