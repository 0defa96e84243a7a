import type { Meter } from './meter.ts';

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

/** Whether one of the alternatives is one of the values. A value that there is not (null) matches nothing, not even `*`. */
export function matchesGlobs(list: GlobList, values: readonly (string | null)[], meter: Meter): boolean {
  return values.some((value) => {
    if (value === null) return false;
    meter.charge(1);
    if (list.literals.has(value)) return true;
    return list.globs.some((glob) => {
      // The most that the walk below can take, in units of work.
      meter.charge(1 + (glob.length * value.length) / 256);
      return globMatches(glob, value);
    });
  });
}

/**
 * Whether a glob matches the whole of a text. It goes back to its last `*` only, so that it takes at most the product of the
 * two lengths; both are bounded.
 */
export function globMatches(glob: string, text: string): boolean {
  let at = 0;
  let inText = 0;
  let star = -1;
  let starText = 0;
  while (inText < text.length) {
    const wanted = glob[at];
    if (wanted === '*') {
      star = at++;
      starText = inText;
    } else if (wanted === '?' || wanted === text[inText]) {
      at++;
      inText++;
    } else if (star >= 0) {
      at = star + 1;
      inText = ++starText;
    } else {
      return false;
    }
  }
  while (glob[at] === '*') at++;
  return at === glob.length;
}
