import type { Needles } from './secret-needles.ts';
import { asciiLowerCased, createRunFinder, type Range, type RunFinder } from './secret-runs.ts';

/** Finds credentials by their beginnings and ends, in time linear in the text. `redaction.ts` finds them whole. */
export interface PartFinder {
  /** `isCutOff`: reading stopped before the text's end, so a shorter beginning of a credential at the end counts too. */
  find(text: string, isCutOff: boolean): Range[];
}

/** The minimum at the end of a text that was cut off. Fewer characters reveal little and match by chance. */
const CUT_OFF_LENGTH_MIN = 4;

const BASE64_SIGN = /[A-Za-z0-9+/=]/;

export function createPartFinder({ plain, base64 }: Needles): PartFinder {
  const inPlain = createRunFinder(plain);
  const inBase64 = createRunFinder(base64);
  return {
    find(text, isCutOff) {
      if (plain.length === 0) return [];
      return [...findAll(inPlain, asciiLowerCased(text), isCutOff), ...findInLines(inBase64, text, isCutOff)];
    },
  };
}

function findAll(finder: RunFinder, text: string, isCutOff: boolean): Range[] {
  const cut = isCutOff ? finder.findAtEnd(text, CUT_OFF_LENGTH_MIN) : null;
  return cut === null ? finder.find(text) : [...finder.find(text), cut];
}

/** Base64 with MIME line breaks, and base64url. Both are searched in a copy without white space, in the base64 alphabet. */
function findInLines(finder: RunFinder, text: string, isCutOff: boolean): Range[] {
  const { joined, placeOf } = joinLines(text);
  return findAll(finder, joined, isCutOff).map(([start, end]): Range => {
    const from = placeOf(start);
    const to = placeOf(end - 1) + 1;
    // The characters next to it hold bits of the secret and of its neighbours.
    const before = BASE64_SIGN.test(text.charAt(from - 1)) ? 1 : 0;
    const after = BASE64_SIGN.test(text.charAt(to)) ? 1 : 0;
    return [from - before, to + after];
  });
}

const BACKSLASH = 0x5c;
/** JSON in JSON doubles the backslashes. Bounded, because the text is not ours. */
const BACKSLASHES_MAX = 4;
const WHITE_SPACE: ReadonlySet<number> = new Set(Array.from(' \t\r\n\v\f', (sign) => sign.charCodeAt(0)));
const ESCAPED_WHITE_SPACE: ReadonlySet<number> = new Set(Array.from('rnt', (sign) => sign.charCodeAt(0)));
const SLASH = '/'.charCodeAt(0);
const OF_BASE64URL: ReadonlyMap<number, number> = new Map([
  ['-'.charCodeAt(0), '+'.charCodeAt(0)],
  ['_'.charCodeAt(0), SLASH],
]);

/** The copy, and the position in the text of each of its characters. */
function joinLines(text: string): { joined: string; placeOf: (at: number) => number } {
  const units = new Uint16Array(text.length);
  const places = new Uint32Array(text.length);
  let kept = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (WHITE_SPACE.has(unit)) continue;
    if (unit === BACKSLASH) {
      const skipped = escapeLength(text, at);
      if (skipped > 0) {
        at += skipped - 1;
        continue;
      }
    }
    places[kept] = at;
    units[kept++] = OF_BASE64URL.get(unit) ?? unit;
  }
  const joined = Buffer.from(units.buffer, 0, kept * 2).toString('utf16le');
  return { joined, placeOf: (at) => places[at] ?? at };
}

/** The length of JSON white space, or of the backslashes before a slash; 0 for any other backslash. */
function escapeLength(text: string, start: number): number {
  let length = 1;
  while (length < BACKSLASHES_MAX && text.charCodeAt(start + length) === BACKSLASH) length++;
  const next = text.charCodeAt(start + length);
  if (ESCAPED_WHITE_SPACE.has(next)) return length + 1;
  return next === SLASH ? length : 0;
}
