import { matchesGlob } from '../glob.ts';
import type { Meter } from '../cel/meter.ts';

/** A list of alternatives: literals, and globs with `*` (any characters) and `?` (one character). */
export interface GlobList {
  /** As written, for people. */
  text: string;
  literals: ReadonlySet<string>;
  globs: readonly string[];
}

export function compileGlobs(patterns: readonly string[]): GlobList {
  const isGlob = (pattern: string): boolean => /[*?]/.test(pattern);
  return {
    text: patterns.join(', '),
    literals: new Set(patterns.filter((pattern) => !isGlob(pattern))),
    globs: patterns.filter(isGlob).map((pattern) => pattern.replaceAll(/\*+/g, '*')),
  };
}

/** Whether one of the alternatives matches one of the values. A missing value (null) matches nothing, not even `*`. */
export function matchesGlobs(list: GlobList, values: readonly (string | null)[], meter: Meter): boolean {
  return values.some((value) => {
    if (value === null) return false;
    meter.charge(1);
    if (list.literals.has(value)) return true;
    return list.globs.some((glob) => {
      // The most that the walk below can take, in units of work.
      meter.charge(1 + (glob.length * value.length) / 256);
      return matchesGlob(glob, value);
    });
  });
}
