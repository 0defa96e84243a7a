import type { TextView } from './text-view.ts';

/** No escape is longer: `&#x000000010ffff;` and some zeros more. So nothing before the last bytes of a view changes any more. */
export const ESCAPE_BYTES_MAX = 20;

const code = (character: string): number => character.charCodeAt(0);
const PERCENT = code('%');
const BACKSLASH = code('\\');
const AMPERSAND = code('&');
const SEMICOLON = code(';');
const LETTER_U = code('u');
const JSON_LETTERS: ReadonlyMap<number, number> = new Map(
  Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(([letter, sign]) => [code(letter), code(sign)]),
);
const ENTITY = /^&(?:#(?<decimal>\d+)|#x(?<hexadecimal>[\da-f]+)|(?<name>amp|lt|gt|quot|apos));$/i;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** The value of a hexadecimal digit; 16 for any other byte. */
const DIGITS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const value = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(value) ? 16 : value;
});
const NO_DIGIT = 16;

/** What an escape at the end of a view stands for, and how many bytes it has. */
interface Escape {
  length: number;
  point: number;
  /** A byte of a percent escape, and no character. */
  isByte?: boolean;
}

/** Adds a byte to the view without escapes of JSON, URLs and HTML, nested ones included, in linear time. */
export function pushUnescaped(view: TextView, byte: number, start: number, end: number): void {
  view.push(byte, start, end);
  for (let escape = escapeAtEnd(view); escape !== null; escape = escapeAtEnd(view)) {
    view.length -= escape.length;
    const from = view.starts[view.length] ?? start;
    if (escape.isByte === true || escape.point < 0x80) view.push(escape.point, from, end);
    else {
      pushCharacter(view, escape.point, from, end);
      return;
    }
  }
}

function escapeAtEnd(view: TextView): Escape | null {
  const last = view.fromEnd(1);
  const before = view.fromEnd(2);
  if (before === BACKSLASH && last !== LETTER_U)
    return { length: 2, point: JSON_LETTERS.get(last) ?? last, isByte: true };
  if (last === SEMICOLON) return entityAtEnd(view);
  if (digitFromEnd(view, 1) === NO_DIGIT || digitFromEnd(view, 2) === NO_DIGIT) return null;
  if (view.fromEnd(3) === PERCENT) return { length: 3, point: numberAtEnd(view, 2), isByte: true };
  const isUnicode = view.fromEnd(5) === LETTER_U && view.fromEnd(6) === BACKSLASH;
  if (!isUnicode || digitFromEnd(view, 3) === NO_DIGIT || digitFromEnd(view, 4) === NO_DIGIT) return null;
  return { length: 6, point: numberAtEnd(view, 4) };
}

const digitFromEnd = (view: TextView, places: number): number => DIGITS[view.fromEnd(places)] ?? NO_DIGIT;

function numberAtEnd(view: TextView, digits: number): number {
  let value = 0;
  for (let places = digits; places > 0; places--) value = value * 16 + digitFromEnd(view, places);
  return value;
}

const POINT_MAX = 0x10ffff;

function entityAtEnd(view: TextView): Escape | null {
  for (let length = 4; length <= ESCAPE_BYTES_MAX; length++) {
    if (view.fromEnd(length) !== AMPERSAND) continue;
    const text = Buffer.from(view.bytes.subarray(view.length - length, view.length)).toString('latin1');
    const { decimal, hexadecimal, name } = ENTITY.exec(text)?.groups ?? {};
    if (name !== undefined) return { length, point: code(ENTITIES[name.toLowerCase()] ?? '') };
    const point = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
    return point <= POINT_MAX ? { length, point } : null;
  }
  return null;
}

const HIGH_SURROGATE = 0xd800;
const LOW_SURROGATE = 0xdc00;
const SURROGATES_END = 0xe000;

/** In UTF-8. The halves of a surrogate pair come one by one: the first waits as three bytes, as if it were a character. */
function pushCharacter(view: TextView, point: number, start: number, end: number): void {
  let from = start;
  let whole = point;
  if (point >= LOW_SURROGATE && point < SURROGATES_END) {
    const high = ((view.fromEnd(3) & 0xf) << 12) | ((view.fromEnd(2) & 0x3f) << 6) | (view.fromEnd(1) & 0x3f);
    if (view.fromEnd(3) === 0xed && high >= HIGH_SURROGATE && high < LOW_SURROGATE) {
      view.length -= 3;
      from = view.starts[view.length] ?? start;
      whole = 0x10000 + ((high - HIGH_SURROGATE) << 10) + (point - LOW_SURROGATE);
    }
  }
  const tail = (shift: number): number => 0x80 | ((whole >> shift) & 0x3f);
  if (whole < 0x800) view.push(0xc0 | (whole >> 6), from, end);
  else if (whole < 0x10000) view.push(0xe0 | (whole >> 12), from, end);
  else view.push(0xf0 | (whole >> 18), from, end);
  if (whole >= 0x10000) view.push(tail(12), from, end);
  if (whole >= 0x800) view.push(tail(6), from, end);
  view.push(tail(0), from, end);
}
