import { BASE64_FOLD, PLAIN_FOLD, type SecretForms } from './secret-forms.ts';
import { type Cursor, newCursor, type SuffixAutomaton } from './suffix-automaton.ts';
import { TextView } from './text-view.ts';
import { ESCAPE_BYTES_MAX, pushUnescaped } from './unescape.ts';

/** A range of a text, from and to in bytes. */
export type Range = readonly [start: number, end: number];

export interface SearchResult {
  /** In order; none overlaps another. */
  ranges: Range[];
  /** What the search did: linear in the text's length. */
  steps: number;
}

/** A block takes some milliseconds. Between two of them the event loop may do other work. */
const BLOCK_BYTES = 32 * 1024;
/** The minimum at the end of a text that was cut off. Fewer characters reveal little and are found by chance. */
const CUT_OFF_LENGTH_MIN = 4;

const isWhiteSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
/** Bytes from 0x80 on are part of a character that is likely a letter. */
const isInWord = (byte: number): boolean => byte >= 0x80 || /[A-Za-z0-9]/.test(String.fromCharCode(byte));
const isBase64 = (byte: number): boolean => /[A-Za-z0-9+/]/.test(String.fromCharCode(byte));

/**
 * Finds the secrets of `forms` in one pass, through three views of the text: as it is, without escapes, as base64
 * without white space. Yields after each block. `isCutOff`: a shorter beginning of a secret at the end counts too.
 */
export function* searchSecrets(bytes: Buffer, forms: SecretForms, isCutOff: boolean): Generator<void, SearchResult> {
  const views = viewsOf(bytes.length, forms);
  const { raw, unescaped, base64 } = views;
  for (let from = 0; from < bytes.length; from += BLOCK_BYTES) {
    if (from > 0) yield;
    const to = Math.min(from + BLOCK_BYTES, bytes.length);
    for (let at = from; at < to; at++) {
      const byte = bytes[at] ?? 0;
      // UTF-16 of ASCII has a NUL beside each character.
      if (byte === 0) continue;
      raw.view.push(byte, at, at + 1);
      pushUnescaped(unescaped.view, byte, at, at + 1);
    }
    const isLast = to === bytes.length;
    if (isLast && isCutOff) dropOpenEscape(unescaped.view);
    readAll(views, isLast);
  }
  if (isCutOff) for (const reader of [raw, unescaped, base64]) reader.addBeginning(bytes.length);
  const ranges = merged([...raw.ranges, ...unescaped.ranges, ...base64.ranges]);
  return {
    ranges: merged(ranges.map((range) => overNul(bytes, range))),
    steps: raw.cursor.steps + unescaped.cursor.steps + base64.cursor.steps,
  };
}

interface Views {
  raw: Reader;
  unescaped: Reader;
  base64: Reader;
}

function viewsOf(length: number, { plain, base64 }: SecretForms): Views {
  const reader = (automaton: SuffixAutomaton, fold: Uint8Array, isBase64Text: boolean): Reader => {
    const kept = automaton.longest + ESCAPE_BYTES_MAX;
    const view = new TextView(length <= BLOCK_BYTES ? length : BLOCK_BYTES + kept + ESCAPE_BYTES_MAX);
    return new Reader(view, automaton, fold, isBase64Text);
  };
  return {
    raw: reader(plain, PLAIN_FOLD, false),
    unescaped: reader(plain, PLAIN_FOLD, false),
    base64: reader(base64, BASE64_FOLD, true),
  };
}

/** Reads what no later byte of the text changes any more. */
function readAll({ raw, unescaped, base64 }: Views, isLast: boolean): void {
  const { view } = unescaped;
  const settled = isLast ? view.length : Math.max(view.done, view.length - ESCAPE_BYTES_MAX);
  for (let index = view.done; index < settled; index++) {
    const byte = view.bytes[index] ?? 0;
    if (!isWhiteSpace(byte)) base64.view.push(byte, view.starts[index] ?? 0, view.ends[index] ?? 0);
  }
  unescaped.read(settled);
  for (const reader of [raw, base64]) reader.read(isLast ? reader.view.length : Math.max(0, reader.view.length - 1));
}

/** Takes a view through an automaton, and collects where in the text something was found. */
class Reader {
  readonly cursor: Cursor = newCursor();
  /** In order. Those that overlapped are one. */
  readonly ranges: [start: number, end: number][] = [];
  readonly view: TextView;
  readonly #automaton: SuffixAutomaton;
  readonly #fold: Uint8Array;
  readonly #isBase64: boolean;

  constructor(view: TextView, automaton: SuffixAutomaton, fold: Uint8Array, isBase64Text: boolean) {
    this.view = view;
    this.#automaton = automaton;
    this.#fold = fold;
    this.#isBase64 = isBase64Text;
  }

  /** Reads to this index of the view. The byte behind it is known, unless it is the text's end. */
  read(to: number): void {
    const { view, cursor } = this;
    let index = view.done;
    const standsAlone = (length: number): boolean => !this.#isInWord(index - length) && !this.#isInWord(index + 1);
    for (; index < to; index++) {
      this.#automaton.read(cursor, this.#fold[view.bytes[index] ?? 0] ?? 0);
      if (cursor.length === 0) continue;
      const length = this.#automaton.found(cursor, standsAlone);
      if (length > 0) this.#add(index + 1 - length, index);
    }
    view.done = to;
    view.forget(this.#automaton.longest + 1);
  }

  /** The end of the text, where it begins a secret. */
  addBeginning(textLength: number): void {
    const length = this.#automaton.beginning(this.cursor, CUT_OFF_LENGTH_MIN);
    if (length === 0) return;
    this.#add(this.view.length - length, this.view.length - 1);
    const last = this.ranges.at(-1);
    if (last !== undefined) last[1] = textLength;
  }

  #add(first: number, last: number): void {
    const { starts, ends } = this.view;
    let start = starts[first] ?? 0;
    let end = ends[last] ?? 0;
    // The characters next to it hold bits of the secret and of its neighbours.
    if (this.#isBase64 && this.#isBase64At(first - 1) && ends[first - 1] === start) start = starts[first - 1] ?? start;
    if (this.#isBase64 && this.#isBase64At(last + 1) && starts[last + 1] === end) end = ends[last + 1] ?? end;
    for (let before = this.ranges.at(-1); before !== undefined && before[1] > start; before = this.ranges.at(-1)) {
      start = Math.min(start, before[0]);
      end = Math.max(end, before[1]);
      this.ranges.pop();
    }
    this.ranges.push([start, end]);
  }

  #isInWord(index: number): boolean {
    return index >= 0 && index < this.view.length && isInWord(this.view.bytes[index] ?? 0);
  }

  #isBase64At(index: number): boolean {
    return index >= 0 && index < this.view.length && isBase64(this.#fold[this.view.bytes[index] ?? 0] ?? 0);
  }
}

const OPEN_ESCAPE = /(?:%[\da-f]?|\\(?:u[\da-f]{0,3})?|&[#a-z\d]*)$/i;

/** An escape that the cut went through hides that a secret begins before it. */
function dropOpenEscape(view: TextView): void {
  const from = Math.max(view.done, view.length - ESCAPE_BYTES_MAX);
  const end = Buffer.from(view.bytes.subarray(from, view.length)).toString('latin1');
  view.length -= OPEN_ESCAPE.exec(end)?.[0].length ?? 0;
}

function merged(ranges: readonly Range[]): Range[] {
  const joined: [number, number][] = [];
  for (const [start, end] of ranges.toSorted((left, right) => left[0] - right[0] || left[1] - right[1])) {
    const before = joined.at(-1);
    if (before !== undefined && start < before[1]) before[1] = Math.max(before[1], end);
    else joined.push([start, end]);
  }
  return joined;
}

/** The range and the NUL beside it, where it is UTF-16. */
function overNul(bytes: Buffer, [start, end]: Range): Range {
  if (!bytes.subarray(start, end).includes(0)) return [start, end];
  return [bytes[start - 1] === 0 ? start - 1 : start, bytes[end] === 0 ? end + 1 : end];
}
