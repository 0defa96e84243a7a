import type { SecretValue } from './secret-values.ts';
import { type Needle, SuffixAutomaton, WHOLE_ONLY } from './suffix-automaton.ts';
import { TextView } from './text-view.ts';
import { pushUnescaped } from './unescape.ts';

/** The minimum of a part of a secret, in bytes of UTF-8. */
const PART_BYTES_MIN = 12;
const HEX_PART_MIN = 2 * PART_BYTES_MIN;
/** The whole characters that twelve bytes have at the worst of the three offsets. */
const BASE64_PART_MIN = 15;
/** A shorter secret would be found by chance all over a text. It is removed only where it stands alone. */
const ANYWHERE_LENGTH_MIN = 4;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Ignores the case of ASCII letters, and whether a form wrote a space as `+`. */
export const PLAIN_FOLD = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x41 && byte <= 0x5a) return byte + 0x20;
  return byte === 0x2b ? 0x20 : byte;
});
/** Makes base64 of base64url. */
export const BASE64_FOLD = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === 0x2d) return 0x2b;
  return byte === 0x5f ? 0x2f : byte;
});

/** What is searched for in a text and in the text without its escapes (`plain`), and in the base64 that stands in it. */
export interface SecretForms {
  plain: SuffixAutomaton;
  base64: SuffixAutomaton;
}

export function formsOf(values: readonly SecretValue[]): SecretForms {
  return {
    plain: new SuffixAutomaton(values.flatMap(plainForms)),
    base64: new SuffixAutomaton(values.flatMap(base64Forms)),
  };
}

/** The search skips each NUL, so UTF-16 of ASCII is found as ASCII. Other characters need forms of their own. */
function plainForms({ text, inParts }: SecretValue): Needle[] {
  const utf8 = withoutNul(Buffer.from(text, 'utf8'));
  const escaped = unescaped(utf8);
  const needle = (bytes: Uint8Array, partMin = PART_BYTES_MIN): Needle[] => {
    const standsAlone = text.length < ANYWHERE_LENGTH_MIN || bytes.length < ANYWHERE_LENGTH_MIN;
    if (bytes.length === 0 || (standsAlone && !LETTER_OR_DIGIT.test(text))) return [];
    return [
      { bytes: bytes.map((byte) => PLAIN_FOLD[byte] ?? 0), partMin: inParts ? partMin : WHOLE_ONLY, standsAlone },
    ];
  };
  const forms = [...needle(utf8), ...(utf8.equals(escaped) ? [] : needle(escaped))];
  if (text.length < ANYWHERE_LENGTH_MIN) return forms;
  forms.push(...needle(Buffer.from(utf8.toString('hex')), HEX_PART_MIN));
  if (/^[\0-\x7f]*$/.test(text)) return forms;
  const little = Buffer.from(text, 'utf16le');
  const big = Buffer.from(little).swap16();
  return [...forms, ...needle(withoutNul(little)), ...needle(withoutNul(big))];
}

/** At each of the three offsets in a group of three bytes, without the characters that hold bits of their neighbours. */
function base64Forms({ text, inParts }: SecretValue): Needle[] {
  if (text.length < ANYWHERE_LENGTH_MIN) return [];
  const utf8 = Buffer.from(text, 'utf8');
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), utf8]).toString('base64');
    const core = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + utf8.length) * 8) / 6));
    return { bytes: Buffer.from(core), partMin: inParts ? BASE64_PART_MIN : WHOLE_ONLY, standsAlone: false };
  });
}

const withoutNul = (bytes: Buffer): Buffer =>
  (bytes.includes(0) ? bytes.filter((byte) => byte !== 0) : bytes) as Buffer;

const BACKSLASH = 0x5c;

/** The bytes as the search reads them once all escapes are gone: a secret may look like an escape itself. */
function unescaped(bytes: Buffer): Buffer {
  const view = new TextView(bytes.length);
  for (const byte of bytes) pushUnescaped(view, byte, 0, 0);
  // In a text this backslash would go with the character behind it.
  if (view.fromEnd(1) === BACKSLASH) view.length--;
  return Buffer.from(view.bytes.subarray(0, view.length));
}
