/** A range of a text, from and to in UTF-16 code units. */
export type Range = readonly [start: number, end: number];

/** A text to search for. A beginning or an end of it is found too, from this many characters on. */
export interface Needle {
  text: string;
  headLength: number;
  tailLength: number;
}

/** Where a beginning of a needle is in a text, and where the text's end may have cut a needle off. */
export interface RunFinder {
  find(text: string): Range[];
  /** The longest end of the text, of at least `lengthMin` characters, that begins a needle. */
  findAtEnd(text: string, lengthMin: number): Range | null;
}

/** No anchor is shorter, so all of them are looked up by this many characters. */
export const ANCHOR_LENGTH = 8;
const HASH_MASK = 0xffff;

interface Head {
  index: number;
  text: string;
  lengthMin: number;
  /** The Z-function: how far the needle matches itself from each position. It keeps the search linear. */
  z: Uint32Array;
}

/** The state of one needle in one text. */
interface Progress {
  /** The run that reaches farthest. */
  start: number;
  end: number;
  /** Overlapping runs, merged. */
  joined: [start: number, end: number] | null;
}

/**
 * Finds whole needles, and their beginnings and ends, in one pass over the text for any number of needles. No position is
 * compared twice with the same needle, so a hostile text cannot slow it down.
 */
export function createRunFinder(needles: readonly Needle[]): RunFinder {
  const forward = createHeadFinder(needles.map(({ text, headLength }) => [text, headLength]));
  const backward = createHeadFinder(needles.map(({ text, tailLength }) => [reverse(text), tailLength]));
  return {
    find(text) {
      if (text.length < ANCHOR_LENGTH || needles.length === 0) return [];
      const fromEnd = backward(reverse(text)).map(([start, end]): Range => [text.length - end, text.length - start]);
      return [...forward(text), ...fromEnd];
    },
    findAtEnd(text, lengthMin) {
      const lengths = needles.map((needle) => overlap(text, needle.text));
      const length = Math.max(0, ...lengths);
      return length < lengthMin ? null : [text.length - length, text.length];
    },
  };
}

/** The length of the longest end of the text that begins the needle. */
function overlap(text: string, needle: string): number {
  const z = zFunction(`${needle}${text.slice(-needle.length)}`);
  for (let length = Math.min(needle.length, text.length); length > 0; length--) {
    if ((z[z.length - length] ?? 0) >= length) return length;
  }
  return 0;
}

function createHeadFinder(heads: [text: string, lengthMin: number][]): (text: string) => Range[] {
  const byAnchor = new Map<string, Head[]>();
  const hashes = new Uint8Array(HASH_MASK + 1);
  for (const [index, [text, lengthMin]] of heads.entries()) {
    const anchor = text.slice(0, ANCHOR_LENGTH);
    byAnchor.set(anchor, [...(byAnchor.get(anchor) ?? []), { index, text, lengthMin, z: zFunction(text) }]);
    hashes[hashOf(anchor)] = 1;
  }
  return (text) => findHeads(text, byAnchor, hashes);
}

/** A hash of the last four characters: earlier ones are shifted out. */
function nextHash(hash: number, unit: number): number {
  return ((hash << 4) ^ unit) & HASH_MASK;
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = nextHash(hash, text.charCodeAt(at));
  return hash;
}

function findHeads(text: string, byAnchor: ReadonlyMap<string, Head[]>, hashes: Uint8Array): Range[] {
  const found: Range[] = [];
  const progress: Progress[] = [];
  let hash = 0;
  for (let at = 0; at < text.length; at++) {
    hash = nextHash(hash, text.charCodeAt(at));
    if (hashes[hash] === 0 || at + 1 < ANCHOR_LENGTH) continue;
    const start = at + 1 - ANCHOR_LENGTH;
    for (const head of byAnchor.get(text.slice(start, at + 1)) ?? []) {
      const before = (progress[head.index] ??= { start: 0, end: 0, joined: null });
      if (!advance(text, head, start, before) || before.end - before.start < head.lengthMin) continue;
      if (before.joined !== null && before.joined[1] >= start) {
        before.joined[1] = before.end;
        continue;
      }
      before.joined = [before.start, before.end];
      found.push(before.joined);
    }
  }
  return found;
}

/** Advances to the run that begins at `start`; false where it ends within the previous run, which covers it. */
function advance(text: string, head: Head, start: number, before: Progress): boolean {
  let length = 0;
  if (start < before.end) {
    length = before.end - start;
    if ((head.z[start - before.start] ?? 0) < length) return false;
  }
  while (length < head.text.length && text.charCodeAt(start + length) === head.text.charCodeAt(length)) length++;
  before.start = start;
  before.end = start + length;
  return true;
}

function zFunction(text: string): Uint32Array {
  const z = new Uint32Array(text.length);
  z[0] = text.length;
  for (let at = 1, left = 0, right = 0; at < text.length; at++) {
    let length = at < right ? Math.min(right - at, z[at - left] ?? 0) : 0;
    while (at + length < text.length && text.charCodeAt(length) === text.charCodeAt(at + length)) length++;
    z[at] = length;
    if (at + length > right) [left, right] = [at, at + length];
  }
  return z;
}

/** Compares UTF-16 code units. Half of a surrogate pair is never shown to anybody. */
function reverse(text: string): string {
  const reversed = Buffer.from(text, 'utf16le').swap16().toReversed();
  return Buffer.from(reversed.buffer).toString('utf16le');
}

const NOT_ASCII = /[^\0-\x7f]/;

/** Keeps each character at its position, although some change length in lower case. */
export function asciiLowerCased(text: string): string {
  return NOT_ASCII.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text.toLowerCase();
}

/** The text with each range replaced; overlapping ranges count as one. */
export function replaceRanges(text: string, ranges: readonly Range[], replacement: string): string {
  if (ranges.length === 0) return text;
  const sorted = ranges.toSorted((left, right) => left[0] - right[0]);
  const pieces: string[] = [];
  let done = 0;
  let first = true;
  for (const [start, end] of sorted) {
    if (first || start >= done) pieces.push(text.slice(done, start), replacement);
    done = Math.max(done, end);
    first = false;
  }
  pieces.push(text.slice(done));
  return pieces.join('');
}
