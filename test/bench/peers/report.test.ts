import { describe, expect, it } from 'vitest';
import { judgeAims, type Measured } from '../../../bench/peers/aims.ts';
import { type ClosedFigures, closedFigures, type Figure, figureOf } from '../../../bench/peers/figures.ts';
import { readOptions } from '../../../bench/peers/options.ts';
import { render, type Result } from '../../../bench/peers/report.ts';
import type { SideName } from '../../../bench/peers/side.ts';
import { countLines } from '../../../bench/peers/statement-log.ts';

const NOTHING: Measured = {
  closed: () => undefined,
  open: () => undefined,
  costs: () => undefined,
  guarantee: () => undefined,
};

const exactly = (median: number): Figure => ({ median, least: median, most: median });

function closedOf(
  p50Ms: number,
  perSecond: number,
  cpuMs = { side: 1, postgres: 1, engine: 1, all: 3 },
): ClosedFigures {
  const p50 = exactly(p50Ms);
  return { p50Ms: p50, p95Ms: p50, p99Ms: p50, perSecond: exactly(perSecond), cpuMs, calls: 100 };
}

function verdictOn(measured: Partial<Measured>, what: RegExp) {
  return judgeAims({ ...NOTHING, ...measured }).find((verdict) => what.test(verdict.what));
}

const closedBy = (figures: Partial<Record<SideName, ClosedFigures>>) => (_inFlight: number, side: SideName) =>
  figures[side];

describe('judgeAims', () => {
  it('judges nothing that was not measured', () => {
    expect(judgeAims(NOTHING)).toEqual([]);
    expect(verdictOn({ closed: closedBy({ 'ours, governed': closedOf(10, 10) }) }, /times Temporal/)).toBeUndefined();
  });

  it('compares governed calls with the fenced form of Temporal', () => {
    const beside = (p50Ms: number, perSecond: number) => ({
      closed: closedBy({ 'ours, governed': closedOf(p50Ms, perSecond), 'Temporal, fenced': closedOf(20, 100) }),
    });
    expect(verdictOn(beside(16, 130), /p50, times Temporal/)).toMatchObject({ value: 0.8, isMet: true });
    expect(verdictOn(beside(16.1, 130), /p50, times Temporal/)?.isMet).toBe(false);
    expect(verdictOn(beside(16, 130), /rate, of Temporal/)).toMatchObject({ value: 1.3, isMet: true });
    expect(verdictOn(beside(16, 129), /rate, of Temporal/)?.isMet).toBe(false);
  });

  it('compares ungoverned calls with the fenced form of DBOS', () => {
    const beside = (p50Ms: number, perSecond: number) => ({
      closed: closedBy({ 'ours, ungoverned': closedOf(p50Ms, perSecond), 'DBOS, fenced': closedOf(5, 300) }),
    });
    expect(verdictOn(beside(10, 150), /p50, times DBOS/)?.isMet).toBe(true);
    expect(verdictOn(beside(10.1, 150), /p50, times DBOS/)?.isMet).toBe(false);
    expect(verdictOn(beside(10, 149), /rate, of DBOS/)?.isMet).toBe(false);
  });

  it('bounds CPU, statements, transactions and WAL of a governed call', () => {
    const measured = {
      closed: closedBy({ 'ours, governed': closedOf(20, 50, { side: 10.1, postgres: 5, engine: 12, all: 27.1 }) }),
      costs: () => ({ calls: 60, statements: 25.4, transactions: 5, walBytes: 9_001, historyEvents: 7 }),
    };
    expect(verdictOn(measured, /CPU$/)).toMatchObject({ value: 27.1, isMet: true });
    expect(verdictOn(measured, /CPU of API and worker/)?.isMet).toBe(false);
    expect(verdictOn(measured, /CPU of PostgreSQL/)?.isMet).toBe(true);
    expect(verdictOn(measured, /statements/)?.isMet).toBe(false);
    expect(verdictOn(measured, /transactions/)?.isMet).toBe(true);
    expect(verdictOn(measured, /WAL/)).toMatchObject({ value: 9.001, isMet: false });
  });

  it('misses the open loop where the side was behind, whatever the answers took', () => {
    const at = (isBehind: boolean) => ({ open: () => ({ p50Ms: 10, p99Ms: 250, perSecond: 40, isBehind }) });
    expect(verdictOn(at(false), /40\/s/)?.isMet).toBe(true);
    expect(verdictOn(at(true), /40\/s/)?.isMet).toBe(false);
  });

  it('allows no second call, no over-reservation and no lost answer', () => {
    const after = (secondCalls: number, overReservations: number, lostAnswers: number) => ({
      guarantee: () => ({ kills: 50, secondCalls, overReservations, lostAnswers, outcomes: {} }),
    });
    expect(verdictOn(after(0, 0, 0), /second calls in 50 kills/)?.isMet).toBe(true);
    expect(verdictOn(after(1, 0, 0), /second calls/)?.isMet).toBe(false);
    expect(verdictOn(after(0, 1, 0), /over-reservations/)?.isMet).toBe(false);
    expect(verdictOn(after(0, 0, 1), /lost answers/)?.isMet).toBe(false);
  });
});

describe('the figures', () => {
  it('are medians of the rounds with their range, and not of all calls together', () => {
    expect(figureOf([4, 1, 3, 2])).toEqual({ median: 2.5, least: 1, most: 4 });
    const cpuMs = { side: 20, postgres: 10, engine: 0 };
    const rounds = [
      { seconds: 1, latenciesMs: [1, 2, 3, 4], cpuMs },
      { seconds: 2, latenciesMs: [10, 10], cpuMs },
      { seconds: 1, latenciesMs: [5], cpuMs },
    ];
    const figures = closedFigures(rounds);
    expect(figures.p50Ms).toEqual({ median: 5, least: 2, most: 10 });
    expect(figures.perSecond).toEqual({ median: 1, least: 1, most: 4 });
    expect(figures.cpuMs).toEqual({ side: 10, postgres: 5, engine: 0, all: 15 });
    expect(figures.calls).toBe(7);
  });
});

describe('the log of statements', () => {
  it('counts statements and transactions of each database, and no other line', () => {
    const log = [
      '@ours|3/10@ LOG:  statement: BEGIN',
      '@ours|3/10@ LOG:  execute claim: INSERT INTO calls',
      '@ours|3/10@ DETAIL:  Parameters: $1 = 1',
      '@ours|3/10@ LOG:  statement: COMMIT',
      '@ours|4/2@ LOG:  execute <unnamed>: SELECT',
      "\t'@ours|4/3@ LOG:  statement: within another'",
      '@hand|4/2@ LOG:  statement: SELECT 1',
      '@ours|3/11@ ERROR:  duplicate key',
    ].join('\n');
    expect(Object.fromEntries(countLines(log))).toEqual({
      ours: { statements: 4, transactions: 2 },
      hand: { statements: 1, transactions: 1 },
    });
  });
});

describe('readOptions', () => {
  it('takes the sides by name, and refuses an unknown name', () => {
    expect(readOptions(['--sides=dbos-fenced,ours-governed'])?.sides).toEqual(['DBOS, fenced', 'ours, governed']);
    expect(() => readOptions(['--sides=inngest'])).toThrow('There is no side inngest');
  });

  it('writes no result of a run under a profiler', () => {
    expect(readOptions(['--write'])?.write).toBe(true);
    expect(readOptions(['--write', '--node-flags=--cpu-prof'])?.write).toBe(false);
  });
});

describe('the report', () => {
  it('shows a side that is behind, leaves out what was not measured, and says what a platform lacks', () => {
    const cpuMs = { side: 20, postgres: 10, engine: 0 };
    const run = { perSecond: 40, due: 100, isBehind: true, seconds: 2, latenciesMs: [10, 3_000], cpuMs };
    const result: Result = {
      takenAt: '2026-11-27T12:00:00.000Z',
      commit: 'abc',
      machine: { cores: 2, cpu: 'x', memoryGb: 24, platform: 'linux x64', node: 'v24.21.0', loadBefore: 0 },
      versions: ['DBOS 5.3.0'],
      leftOut: ['Restate, fenced (no package)'],
      seed: 42,
      closed: [],
      open: [{ perSecond: 40, runs: { 'ours, governed': run } }],
      costs: {},
      guarantees: {},
    };
    const text = render(result);
    expect(text).toContain('| ours, governed | behind (1/s; 10.0 ms, 3.0 s) |');
    expect(text).toContain('| governed, 40/s: p99 | behind | at most 250 ms: **missed** |');
    expect(text).toContain('Left out: Restate, fenced (no package).');
    expect(text).not.toContain('## The guarantee');
  });
});
