import type { AnalyticsKind } from './kinds.ts';

interface Sums {
  kind: AnalyticsKind;
  key: string | null;
  n: number;
  s1: number;
  s2: number;
}

/** Looks sums up by kind and key; what was not counted is 0. */
export class Counted {
  readonly #counts: readonly Sums[];

  constructor(counts: readonly Sums[]) {
    this.#counts = counts;
  }

  /** Records of these keys; of all keys where none is named. */
  n(kind: AnalyticsKind, ...keys: readonly string[]): number {
    return this.#sum('n', kind, keys);
  }

  s1(kind: AnalyticsKind, ...keys: readonly string[]): number {
    return this.#sum('s1', kind, keys);
  }

  s2(kind: AnalyticsKind, ...keys: readonly string[]): number {
    return this.#sum('s2', kind, keys);
  }

  /** The groups of a kind, in the order in which they were read: the largest first. */
  groups(kind: AnalyticsKind): { key: string | null; n: number }[] {
    return this.#counts.filter((one) => one.kind === kind);
  }

  #sum(member: 'n' | 's1' | 's2', kind: AnalyticsKind, keys: readonly string[]): number {
    return this.#counts
      .filter((one) => one.kind === kind && (keys.length === 0 || (one.key !== null && keys.includes(one.key))))
      .reduce((sum, one) => sum + one[member], 0);
  }
}

/** Returns null where there is nothing to divide by. */
export function rate(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

const MICROS = 1e6;

/** Costs are summed in millionths of a dollar, which are exact. */
export function usdOf(micros: number): number {
  return micros / MICROS;
}
