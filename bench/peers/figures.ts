import { percentile } from '../delivery/rounds.ts';
import type { OpenRun, Round } from './load.ts';
import type { Cpu } from './side.ts';

/** The median of the rounds, and the range of them. */
export interface Figure {
  median: number;
  least: number;
  most: number;
}

export function figureOf(values: readonly number[]): Figure {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - (sorted.length % 2 === 0 ? 1 : 0)], sorted[middle]];
  return { median: (low + high) / 2, least: sorted[0] ?? Number.NaN, most: sorted.at(-1) ?? Number.NaN };
}

/** The figures of one side at one level of the closed loop. CPU in ms a call. */
export interface ClosedFigures {
  p50Ms: Figure;
  p95Ms: Figure;
  p99Ms: Figure;
  perSecond: Figure;
  cpuMs: { side: number; postgres: number; engine: number; all: number };
  calls: number;
}

export function closedFigures(rounds: readonly Round[]): ClosedFigures {
  const of = (figure: (round: Round) => number): Figure => figureOf(rounds.map(figure));
  const cpu = (part: (cpu: Cpu) => number): number =>
    of(({ cpuMs, latenciesMs }) => part(cpuMs) / latenciesMs.length).median;
  return {
    p50Ms: of(({ latenciesMs }) => percentile(latenciesMs, 0.5)),
    p95Ms: of(({ latenciesMs }) => percentile(latenciesMs, 0.95)),
    p99Ms: of(({ latenciesMs }) => percentile(latenciesMs, 0.99)),
    perSecond: of(({ latenciesMs, seconds }) => latenciesMs.length / seconds),
    cpuMs: {
      side: cpu(({ side }) => side),
      postgres: cpu(({ postgres }) => postgres),
      engine: cpu(({ engine }) => engine),
      all: cpu(({ side, postgres, engine }) => side + postgres + engine),
    },
    calls: rounds.reduce((sum, { latenciesMs }) => sum + latenciesMs.length, 0),
  };
}

export interface OpenFigures {
  p50Ms: number;
  p99Ms: number;
  /** Answered. */
  perSecond: number;
  isBehind: boolean;
}

export function openFigures({ latenciesMs, seconds, isBehind }: OpenRun): OpenFigures {
  return {
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    perSecond: latenciesMs.length / seconds,
    isBehind,
  };
}
