import { summarize } from '../latencies.ts';
import { describeRun, type Machine } from '../machine.ts';
import type { Costs } from '../peers/costs.ts';
import { closedFigures } from '../peers/figures.ts';
import type { Round } from '../peers/load.ts';
import type { Ask } from '../peers/ours.ts';

/** What was measured beside so many stored invocations. */
export interface Grown {
  stored: number;
  /** On disk: the records with their indexes. */
  bytes: number;
  /** By calls in flight. */
  levels: Record<number, Round[]>;
  /** By the name in READS. */
  readsMs: Record<string, number[]>;
  costs: Costs | null;
  /** How often a table of records was read whole while calls and reads ran. */
  wholeReads: Record<string, number>;
}

const LISTS = '/api/v2/actions';
/** The path of each read. One that names a record takes the fiftieth of the newest. */
export const READS: Readonly<Record<string, (ask: Ask) => Promise<string>>> = {
  'the newest 50 effects': () => Promise.resolve(`${LISTS}/effects?limit=50`),
  'effects of a grade': () => Promise.resolve(`${LISTS}/effects?limit=50&grade=acknowledged`),
  'effects of a grade that none has': () => Promise.resolve(`${LISTS}/effects?limit=50&grade=unknown`),
  'the newest 50 invocations': () => Promise.resolve(`${LISTS}/invocations?limit=50`),
  'the tenth page of 50 invocations': () => Promise.resolve(`${LISTS}/invocations?limit=50&page=10`),
  'an invocation': async (ask) => `${LISTS}/invocations/${(await lastOfPage(ask, 'invocations')).id}`,
  'an effect with its receipt': async (ask) => `${LISTS}/effects/${(await lastOfPage(ask, 'effects')).id}`,
  'a receipt, verified': async (ask) => `${LISTS}/effects/${(await lastOfPage(ask, 'effects')).id}/verify`,
};

async function lastOfPage(ask: Ask, of: string): Promise<{ id: string }> {
  const { data } = (await ask('GET', `${LISTS}/${of}?limit=50`)) as { data: { id: string }[] };
  const last = data.at(-1);
  if (last === undefined) throw new Error(`no ${of} are stored`);
  return last;
}

/** For people, as Markdown. The first side is what the others are compared with. */
export function render({
  grown,
  ...run
}: {
  takenAt: string;
  commit: string;
  machine: Machine;
  grown: Grown[];
}): string {
  const titles = grown.map(({ stored }) => stored.toLocaleString('en'));
  const table = (rows: [string, ...(number | null)[]][], digits: number): string[] => [
    `| | ${titles.join(' | ')} | times |`,
    `| --- | ${titles.map(() => '---').join(' | ')} | --- |`,
    ...rows.map(([name, ...values]) => {
      const [first, last] = [values[0] ?? Number.NaN, values.at(-1) ?? Number.NaN];
      const cells = values.map((value) => (value ?? Number.NaN).toFixed(digits));
      return `| ${name} | ${cells.join(' | ')} | ${(last / first).toFixed(2)} |`;
    }),
    '',
  ];
  const each = (figure: (of: Grown) => number | null): (number | null)[] => grown.map(figure);
  const levels = Object.keys(grown[0]?.levels ?? {}).map(Number);
  return [
    '# An invocation and a read beside many that are stored',
    '',
    describeRun(run),
    '',
    'Governed calls with an impact limit, a secret and an Idempotency-Key. Two services on one PostgreSQL and one Temporal, each with a database of its own; their',
    'rounds take turns. The stored invocations were made by calls and then copied, over 90 days. CPU of API and worker, of PostgreSQL and of Temporal.',
    '',
    '## Calls',
    '',
    ...table(
      levels.flatMap((level) => {
        const figures = (of: Grown) => closedFigures(of.levels[level] ?? []);
        return [
          [`${level} in flight: p50, ms`, ...each((of) => figures(of).p50Ms.median)],
          [`${level} in flight: a second`, ...each((of) => figures(of).perSecond.median)],
          [`${level} in flight: CPU, ms`, ...each((of) => figures(of).cpuMs.all)],
          [`${level} in flight: CPU of PostgreSQL, ms`, ...each((of) => figures(of).cpuMs.postgres)],
        ] as [string, ...(number | null)[]][];
      }),
      1,
    ),
    ...table(
      [
        ['statements', ...each(({ costs }) => costs?.statements ?? null)],
        ['WAL, kB', ...each(({ costs }) => (costs === null ? null : costs.walBytes / 1_000))],
        ['on disk, kB an invocation', ...each(({ bytes, stored }) => bytes / stored / 1_000)],
      ],
      1,
    ),
    '## Reads, p50 in ms over HTTP',
    '',
    ...table(
      Object.keys(READS).map((name) => [
        name,
        ...each(({ readsMs }) => summarize({ rounds: [readsMs[name] ?? []] }).p50Ms),
      ]),
      2,
    ),
    `Tables of records that were read whole at ${titles.at(-1) ?? ''}: ${
      Object.entries(grown.at(-1)?.wholeReads ?? {})
        .filter(([, reads]) => reads > 0)
        .map(([name, reads]) => `${name} (${reads} times)`)
        .join(', ') || 'none'
    }.`,
    '',
  ].join('\n');
}
