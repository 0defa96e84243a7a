import { nearNames } from '../../domain/near-names.ts';

/** Paths that strangers send are cut before they are compared. */
const PATH_CHARACTERS_MAX = 300;
const SEGMENTS_MAX = 10;
const SUGGESTIONS_MAX = 3;

/** What a difference costs. A path is suggested up to COST_MAX, and at most COST_ABOVE_BEST above the nearest one. */
const COST = { otherNumber: 1, misspelt: 2, parameter: 1, leftOut: 2, parameterLeftOut: 3 } as const;
const COST_MAX = 5;
const COST_ABOVE_BEST = 1;

interface Template {
  path: string;
  segments: readonly string[];
}

/** The paths that may have been meant by one that does not exist: misspelt, of another version, or without its beginning. */
export class NearPaths {
  readonly #templates: readonly Template[];
  readonly #literals: readonly string[];

  constructor(paths: readonly string[]) {
    this.#templates = [...new Set(paths)].map((path) => ({ path, segments: segmentsOf(path) }));
    const literals = this.#templates.flatMap(({ segments }) => segments.filter((segment) => !isParameter(segment)));
    this.#literals = [...new Set(literals)];
  }

  /** The nearest first; parameters stand as in the reference, so that nothing of the request is repeated. */
  of(path: string): string[] {
    const wanted = segmentsOf(path.slice(0, PATH_CHARACTERS_MAX));
    if (wanted.length === 0 || wanted.length > SEGMENTS_MAX) return [];
    const meant = wanted.map((segment) => this.#meant(segment));
    const near = this.#templates
      .map((template) => ({ path: template.path, cost: costOf(meant, template.segments) }))
      .filter(({ cost }) => cost <= COST_MAX)
      .toSorted((left, right) => left.cost - right.cost || (left.path < right.path ? -1 : 1));
    const best = near[0]?.cost ?? 0;
    return near
      .filter(({ cost }) => cost <= best + COST_ABOVE_BEST)
      .slice(0, SUGGESTIONS_MAX)
      .map((one) => one.path);
  }

  /** The segments that one may stand for, with what each costs. */
  #meant(segment: string): ReadonlyMap<string, number> {
    const lower = segment.toLowerCase();
    const meant = new Map(nearNames(lower, this.#literals).map((name): [string, number] => [name, COST.misspelt]));
    // `policies` of `approval-policies`.
    for (const literal of this.#literals) if (literal.endsWith(`-${lower}`)) meant.set(literal, COST.misspelt);
    for (const other of [
      `${lower}s`,
      lower.replace(/s$/, ''),
      lower.replace(/y$/, 'ies'),
      lower.replace(/ies$/, 'y'),
    ]) {
      if (this.#literals.includes(other)) meant.set(other, COST.otherNumber);
    }
    const hyphened = segment.replaceAll(/[_ ]|(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
    for (const same of [lower, hyphened]) if (this.#literals.includes(same)) meant.set(same, 0);
    return meant;
  }
}

/** Without the prefix of the API, in whichever version, and without empty segments. */
function segmentsOf(path: string): string[] {
  return path
    .replace(/^\/+(?:api\/+)?(?:v\d+(?=\/|$))?/i, '/')
    .split('/')
    .filter((segment) => segment !== '');
}

const isParameter = (segment: string): boolean => segment.startsWith('{');

/** The least cost at which the wanted segments, all of them and in order, are those of the template; Infinity where no name agrees. */
function costOf(wanted: readonly ReadonlyMap<string, number>[], template: readonly string[]): number {
  // By how many wanted segments are used up: the cost with no name agreed so far, and with one.
  let row = wanted.map((): [number, number] => [Infinity, Infinity]);
  row.unshift([0, Infinity]);
  for (const segment of template) {
    const leftOut = isParameter(segment) ? COST.parameterLeftOut : COST.leftOut;
    row = row.map(([none, some], used): [number, number] => {
      const [noneBefore, someBefore] = row[used - 1] ?? [Infinity, Infinity];
      if (isParameter(segment)) {
        return [
          Math.min(none + leftOut, noneBefore + COST.parameter),
          Math.min(some + leftOut, someBefore + COST.parameter),
        ];
      }
      const agreed = wanted[used - 1]?.get(segment) ?? Infinity;
      return [none + leftOut, Math.min(some + leftOut, Math.min(noneBefore, someBefore) + agreed)];
    });
  }
  return row[wanted.length]?.[1] ?? Infinity;
}
