import { describeRun, type Machine } from '../machine.ts';
import { judgeAims, type Measured, type Verdict } from './aims.ts';
import type { Costs } from './costs.ts';
import { closedFigures, type Figure, type OpenFigures, openFigures } from './figures.ts';
import type { Guarantee } from './kills.ts';
import { BACKLOG_SECONDS_MAX, type OpenRun, type Round } from './load.ts';
import { SIDE_NAMES, type SideName } from './side.ts';

type BySide<T> = Partial<Record<SideName, T>>;

export interface Result {
  takenAt: string;
  commit: string;
  machine: Machine;
  versions: string[];
  /** Sides that this platform cannot run, and why. */
  leftOut: string[];
  seed: number;
  closed: { inFlight: number; rounds: BySide<Round[]> }[];
  open: { perSecond: number; runs: BySide<OpenRun> }[];
  costs: BySide<Costs>;
  guarantees: BySide<Guarantee>;
}

/** For people, as Markdown. */
export function render(result: Result): string {
  const { takenAt, commit, machine, versions, leftOut } = result;
  return [
    '# The price of an invocation, beside DBOS, Restate and bare Temporal',
    '',
    describeRun({ takenAt, commit, machine }),
    `With ${versions.join(', ')}.`,
    ...leftOut.map((side) => `Left out: ${side}.`),
    '',
    ...JOB,
    '',
    ...result.closed.flatMap(renderClosed),
    ...renderOpen(result),
    ...renderCosts(result.costs),
    ...renderGuarantees(result.guarantees),
    ...renderAims(judgeAims(measuredOf(result))),
    ...FAIRNESS,
    '',
  ].join('\n');
}

const JOB = [
  'The job of every side: a POST over HTTP; validate the input by a JSON Schema (ajv); reserve 1 of a capped counter; POST to the target with a secret in a',
  'header and an idempotency key; record the outcome; answer with it. All on one PostgreSQL (fsync on) and one Temporal, against one target, sides in turn, with',
  'client, target, servers and sides on the same cores. Native: as the peer’s guide has it. Fenced: as safe as ours, a claim that is committed before the call; a run that',
  'finds the claim records `unknown` and calls nobody. Temporal, fenced, is its cheapest workflow: one local activity with eager start. CPU: of the side’s',
  'process (ours: API and worker), of PostgreSQL, and of Temporal or Restate; client and target are left out.',
];

const FAIRNESS = [
  '## What is not the same',
  '',
  '- Ours alone has API keys and scopes, tenants under row-level security, policies, a chain of receipts, permits and budgets, an egress guard that opens a new',
  '  connection for each call, redaction, sealed secrets, a store of idempotent replies and an audit trail. The peers have none of it, their secret is in',
  '  memory, and they keep their connections to the target.',
  '- Ours, ungoverned, reserves nothing and makes no effect with a receipt.',
  '- Restate keeps its log in files of its own and syncs them; Temporal is the dev server on SQLite (`synchronous=NORMAL`), with the settings of `npm start`.',
  '- Telemetry of Restate is off; its server asks GitHub for its newest release all the same when it starts.',
  '- DBOS, native, has steps that are idempotent by key where its data sources would commit a checkpoint with the step’s own transaction: the packages that go',
  '  with this release could not be had.',
  '- Statements are those that clients send, by PostgreSQL’s log, with BEGIN and COMMIT; what functions and triggers run is not among them. WAL is without full',
  '  pages, and of all counts what the processes do at rest in the same time is taken away.',
];

function measuredOf({ closed, open, costs, guarantees }: Result): Measured {
  return {
    closed: (inFlight, side) => {
      const rounds = closed.find((one) => one.inFlight === inFlight)?.rounds[side];
      return rounds === undefined ? undefined : closedFigures(rounds);
    },
    open: (perSecond, side) => {
      const run = open.find((one) => one.perSecond === perSecond)?.runs[side];
      return run === undefined ? undefined : openFigures(run);
    },
    costs: (side) => costs[side],
    guarantee: (side) => guarantees[side],
  };
}

/** A row for each side that has a value. */
function rowsOf<T>(values: BySide<T>, cellsOf: (value: T) => string[]): string[] {
  return SIDE_NAMES.flatMap((side) => {
    const value = values[side];
    return value === undefined ? [] : [`| ${[side, ...cellsOf(value)].join(' | ')} |`];
  });
}

function table(headings: string[], rows: string[]): string[] {
  return [`| ${headings.join(' | ')} |`, `| ${headings.map(() => '---').join(' | ')} |`, ...rows, ''];
}

function renderClosed({ inFlight, rounds }: Result['closed'][number]): string[] {
  const headings = ['side', 'p50, ms', 'p95, ms', 'p99, ms', 'a second', 'CPU a call, ms: side', 'PostgreSQL'];
  const rows = rowsOf(rounds, (own) => {
    const { p50Ms, p95Ms, p99Ms, perSecond, cpuMs } = closedFigures(own);
    const engine = cpuMs.engine === 0 ? '–' : cpuMs.engine.toFixed(1);
    const cpu = [cpuMs.side.toFixed(1), cpuMs.postgres.toFixed(1), engine, cpuMs.all.toFixed(1)];
    return [withRange(p50Ms), withRange(p95Ms), withRange(p99Ms), withRange(perSecond), ...cpu];
  });
  const all = Object.values(rounds);
  const calls = all.map((own) => own.reduce((sum, { latenciesMs }) => sum + latenciesMs.length, 0));
  return [
    `## ${inFlight} in flight`,
    '',
    ...table([...headings, 'Temporal or Restate', 'together'], rows),
    `Medians of ${all[0]?.length ?? 0} rounds (range); ${Math.min(...calls)} to ${Math.max(...calls)} calls of a side.`,
    '',
  ];
}

function renderOpen({ open, seed }: Result): string[] {
  if (open.length === 0) return [];
  const bySide: BySide<string[]> = {};
  for (const [index, { runs }] of open.entries()) {
    for (const side of SIDE_NAMES) {
      const run = runs[side];
      if (run !== undefined) (bySide[side] ??= open.map(() => ''))[index] = openCell(openFigures(run));
    }
  }
  const headings = open.map(({ perSecond }) => `${perSecond}/s: p50, p99`);
  return [
    '## Open loop',
    '',
    ...table(
      ['side', ...headings],
      rowsOf(bySide, (cells) => cells),
    ),
    `Poisson arrivals from the seed ${seed}, the same for all sides. A latency counts from the time when the call was due. Behind: more than ` +
      `${BACKLOG_SECONDS_MAX} s’ worth of calls were unanswered, and no more were sent; the rate is that of the answers.`,
    '',
  ];
}

function openCell({ p50Ms, p99Ms, perSecond, isBehind }: OpenFigures): string {
  if (isBehind) return `behind (${perSecond.toFixed(0)}/s; ${duration(p50Ms)}, ${duration(p99Ms)})`;
  return `${duration(p50Ms)}, ${duration(p99Ms)}`;
}

function duration(ms: number): string {
  return ms < 1_000 ? `${ms.toFixed(ms < 100 ? 1 : 0)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

function renderCosts(costs: BySide<Costs>): string[] {
  const rows = rowsOf(costs, ({ statements, transactions, walBytes, historyEvents }) => [
    statements.toFixed(1),
    transactions.toFixed(1),
    (walBytes / 1_000).toFixed(1),
    historyEvents === null ? '–' : historyEvents.toFixed(1),
  ]);
  if (rows.length === 0) return [];
  const headings = ['side', 'statements', 'transactions', 'WAL, kB', 'history events'];
  const calls = Object.values(costs)[0]?.calls ?? 0;
  return ['## One call', '', ...table(headings, rows), `The mean of ${calls} calls one after the other.`, ''];
}

function renderGuarantees(guarantees: BySide<Guarantee>): string[] {
  const rows = rowsOf(guarantees, ({ kills, secondCalls, overReservations, lostAnswers, outcomes }) => [
    `${secondCalls} of ${kills}`,
    overReservations === null ? '–' : String(overReservations),
    String(lostAnswers),
    Object.entries(outcomes)
      .map(([outcome, count]) => `${count} × ${outcome}`)
      .join(', '),
  ]);
  if (rows.length === 0) return [];
  return [
    '## The guarantee',
    '',
    ...table(['side', 'second calls', 'over-reservations', 'lost answers', 'what the client was told'], rows),
    'SIGKILL to the side’s process (ours: API and worker) while the target held the call; it was started again, and the client repeated its key until it had',
    'an outcome, also through the kills that followed. Lost: an answer that is not on record, or of which a repeat gets another.',
    '',
  ];
}

function renderAims(verdicts: readonly Verdict[]): string[] {
  if (verdicts.length === 0) return [];
  const rows = verdicts.map(({ what, value, aim, unit, isMet }) => {
    const bound = 'atMost' in aim ? `at most ${aim.atMost}` : `at least ${aim.atLeast}`;
    const measured = value === Infinity ? 'behind' : `${Number(value.toFixed(2))} ${unit}`.trim();
    return `| ${what} | ${measured} | ${`${bound} ${unit}`.trim()}: ${isMet ? 'met' : '**missed**'} |`;
  });
  return ['## Aims', '', ...table(['', 'measured', 'aim'], rows)];
}

function withRange({ median, least, most }: Figure): string {
  const digits = median < 100 ? 1 : 0;
  return `${median.toFixed(digits)} (${least.toFixed(digits)} – ${most.toFixed(digits)})`;
}
