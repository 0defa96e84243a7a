import { describeRun, type Machine } from '../machine.ts';
import type { Level } from './options.ts';
import { type BatchRound, percentile, type Round } from './rounds.ts';
import { SIDE_NAMES, type SideName } from './side.ts';

/** The aims of docs/performance.md. */
const COST_MAX = 1.5;
const FIRST_OF_BATCH_MAX = 2;

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

function renderLevel({ outstanding, messages, rounds: count }: Level, rounds: Record<SideName, Round[]>): string[] {
  const rows = SIDE_NAMES.map((name) => {
    const latenciesMs = rounds[name].flatMap((round) => round.latenciesMs);
    const cpuMs = rounds[name].reduce((sum, round) => sum + round.cpuMs, 0) / latenciesMs.length;
    const cells = [
      median(rounds[name].map(rateOf)).toFixed(1),
      ...[0.5, 0.99].map((share) => `${percentile(latenciesMs, share).toFixed(1)} ms`),
      `${cpuMs.toFixed(1)} ms`,
      ratioText(rounds[name], rounds.bare, (side, bare) => rateOf(bare) / rateOf(side)),
    ];
    return `| ${[name, ...cells].join(' | ')} |`;
  });
  const cost = median(rounds.service.map((round, at) => rateOf(rounds.bare[at] ?? round) / rateOf(round)));
  return [
    `## ${outstanding.toLocaleString('en')} outstanding`,
    '',
    '| side | messages a second | p50 | p99 | CPU a message | times the bare cost |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    `${count} rounds of ${messages} messages for each side. The service beside the bare workflow: ${cost.toFixed(2)} times; the aim is ${COST_MAX}: ${verdict(cost <= COST_MAX)}.`,
    '',
  ];
}

function renderBatches({ messages, rounds }: Result['batches']): string[] {
  const sides = SIDE_NAMES.filter((name) => rounds[name] !== undefined);
  if (sides.length === 0) return [];
  const rows = sides.map((name) => {
    const of = (figure: keyof BatchRound): string =>
      `${median((rounds[name] ?? []).map((round) => round[figure])).toFixed(0)} ms`;
    const times = ratioText(rounds[name] ?? [], rounds['pg-boss'] ?? [], (side, boss) => side.firstMs / boss.firstMs);
    return `| ${name} | ${of('firstMs')} | ${of('lastMs')} | ${of('settledMs')} | ${times} |`;
  });
  const ours = rounds.service ?? [];
  const first = median(ours.map((round, at) => round.firstMs / (rounds['pg-boss']?.[at] ?? round).firstMs));
  return [
    `## A batch of ${messages.toLocaleString('en')}`,
    '',
    '| side | first receipt | last receipt | all settled | first, times pg-boss |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
    `${ours.length} batches of each side, medians. First receipt beside pg-boss: ${first.toFixed(2)} times; the aim is under ${FIRST_OF_BATCH_MAX}: ${verdict(first < FIRST_OF_BATCH_MAX)}.`,
    '',
  ];
}

/** The ratio of the rounds of each turn: their median and range. */
function ratioText<R>(side: readonly R[], other: readonly R[], ratio: (side: R, other: R) => number): string {
  const ratios = side.flatMap((round, at) => {
    const beside = other[at];
    return beside === undefined ? [] : [ratio(round, beside)];
  });
  return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} – ${Math.max(...ratios).toFixed(2)})`;
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
