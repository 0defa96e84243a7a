import type { Costs } from './costs.ts';
import type { ClosedFigures, OpenFigures } from './figures.ts';
import type { Guarantee } from './kills.ts';
import type { SideName } from './side.ts';

/** What a run knows of its sides. Whatever was left out is undefined. */
export interface Measured {
  closed(inFlight: number, side: SideName): ClosedFigures | undefined;
  open(perSecond: number, side: SideName): OpenFigures | undefined;
  costs(side: SideName): Costs | undefined;
  guarantee(side: SideName): Guarantee | undefined;
}

export interface Verdict {
  what: string;
  /** What the aim is compared with; NaN where the run has not measured it. */
  value: number;
  aim: { atMost: number } | { atLeast: number };
  unit: string;
  isMet: boolean;
}

const GOVERNED = 'ours, governed';
const UNGOVERNED = 'ours, ungoverned';

/** The aims of docs/performance.md, of which the run has measured any. */
export function judgeAims(measured: Measured): Verdict[] {
  return [...governedAims(measured), ...ungovernedAims(measured), ...guaranteeAims(measured)].filter(
    ({ value }) => !Number.isNaN(value),
  );
}

function governedAims({ closed, open, costs }: Measured): Verdict[] {
  const [one, many] = [closed(1, GOVERNED), closed(32, GOVERNED)];
  const temporal = { one: closed(1, 'Temporal, fenced'), many: closed(32, 'Temporal, fenced') };
  const openly = open(40, GOVERNED);
  const cost = costs(GOVERNED);
  const p99Ms = openly?.isBehind === true ? Infinity : openly?.p99Ms;
  return [
    atMost('governed, 1 in flight: p50, times Temporal, fenced', ratio(one?.p50Ms, temporal.one?.p50Ms), 0.8),
    atLeast('governed, 32 in flight: rate, of Temporal, fenced', ratio(many?.perSecond, temporal.many?.perSecond), 1.3),
    atMost('governed, 40/s: p99', p99Ms, 250, 'ms'),
    atMost('governed, 1 in flight: CPU', one?.cpuMs.all, 32, 'ms'),
    atMost('governed, 1 in flight: CPU of API and worker', one?.cpuMs.side, 10, 'ms'),
    atMost('governed, 1 in flight: CPU of PostgreSQL', one?.cpuMs.postgres, 5, 'ms'),
    atMost('governed: statements', cost?.statements, 25),
    atMost('governed: transactions', cost?.transactions, 5),
    atMost('governed: WAL', cost === undefined ? undefined : cost.walBytes / 1_000, 9, 'kB'),
  ];
}

function ungovernedAims({ closed }: Measured): Verdict[] {
  const [one, many] = [closed(1, UNGOVERNED), closed(32, UNGOVERNED)];
  const dbos = { one: closed(1, 'DBOS, fenced'), many: closed(32, 'DBOS, fenced') };
  return [
    atMost('ungoverned, 1 in flight: p50, times DBOS, fenced', ratio(one?.p50Ms, dbos.one?.p50Ms), 2),
    atLeast('ungoverned, 32 in flight: rate, of DBOS, fenced', ratio(many?.perSecond, dbos.many?.perSecond), 0.5),
    atMost('ungoverned, 1 in flight: CPU', one?.cpuMs.all, 12, 'ms'),
  ];
}

function guaranteeAims({ guarantee }: Measured): Verdict[] {
  return ([GOVERNED, UNGOVERNED] as const).flatMap((side) => {
    const found = guarantee(side);
    return [
      atMost(`${side}: second calls in ${found?.kills} kills`, found?.secondCalls, 0),
      atMost(`${side}: over-reservations`, found?.overReservations ?? undefined, 0),
      atMost(`${side}: lost answers`, found?.lostAnswers, 0),
    ];
  });
}

function ratio(own?: { median: number }, other?: { median: number }): number | undefined {
  return own === undefined || other === undefined ? undefined : own.median / other.median;
}

function atMost(what: string, value: number = Number.NaN, most: number, unit = ''): Verdict {
  return { what, value, aim: { atMost: most }, unit, isMet: value <= most };
}

function atLeast(what: string, value: number = Number.NaN, least: number, unit = ''): Verdict {
  return { what, value, aim: { atLeast: least }, unit, isMet: value >= least };
}
