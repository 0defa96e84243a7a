import { ANCHOR_LENGTH, asciiLowerCased, type Needle } from './secret-runs.ts';

/** The minimum length of a part of a secret that is searched for. */
const PART_LENGTH_MIN = 8;
/** Parts of a JSON document's member are searched only where the member is too long to be a common word. */
const DOCUMENT_MEMBER_LENGTH_MIN = 20;

/**
 * Beginnings that every value of a kind shares, and that reveal nothing: a URL's scheme, the scheme of an Authorization header, the first
 * line of a PEM text. The beginning of a secret is counted after them.
 */
const COMMON_HEAD =
  /^(?:[a-z][a-z0-9+.-]{0,30}:\/\/|(?:basic|bearer|token|apikey|digest)\s+|-----BEGIN [A-Z0-9 ]{1,40}-----\s*)/i;
const COMMON_TAIL = /\s*-----END [A-Z0-9 ]{1,40}-----\s*$/;

/** The encodings in which parts are found, grouped by the form of the text that is searched. */
export interface Needles {
  /** Searched without regard to case. */
  plain: Needle[];
  base64: Needle[];
}

type Encode = (value: string) => string;

const utf8 = (value: string): Buffer => Buffer.from(value, 'utf8');
const TEXT_FORMS: readonly Encode[] = [
  (value) => value,
  (value) => JSON.stringify(value).slice(1, -1),
  (value) => encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\uFFFD')),
  (value) => new URLSearchParams({ v: value }).toString().slice(2),
  (value) => utf8(value).toString('hex'),
];
const utf16 = (value: string): Buffer => Buffer.from(value, 'utf16le');
/** The same as Latin-1 characters of a body's bytes, and as UTF-16 of either byte order. */
const BYTE_FORMS: readonly Encode[] = [
  ...TEXT_FORMS.map((form) => (value: string) => utf8(form(value)).toString('latin1')),
  (value) => utf16(value).toString('latin1'),
  (value) => utf16(value).swap16().toString('latin1'),
];

export const textNeedles = (secrets: readonly string[]): Needles => needlesOf(secrets, TEXT_FORMS);
export const byteNeedles = (secrets: readonly string[]): Needles => needlesOf(secrets, BYTE_FORMS);

function needlesOf(secrets: readonly string[], forms: readonly Encode[]): Needles {
  const cores = [...new Set(secrets.map(coreOf))].filter((core) => core.length >= PART_LENGTH_MIN);
  const plain = new Map<string, Needle>();
  const base64 = new Map<string, Needle>();
  for (const core of cores) {
    const characters = Array.from(core);
    const head = characters.slice(0, PART_LENGTH_MIN).join('');
    const tail = characters.slice(-PART_LENGTH_MIN).join('');
    for (const form of forms) {
      const text = asciiLowerCased(form(core));
      add(plain, { text, headLength: form(head).length, tailLength: form(tail).length });
    }
    for (const offset of [0, 1, 2]) {
      const text = base64Core(utf8(core), offset);
      // At least one character is cut off at either end, at every offset.
      const least = (part: string): number => Math.max(ANCHOR_LENGTH, Math.floor((utf8(part).byteLength * 8) / 6) - 2);
      if (text.length >= ANCHOR_LENGTH) add(base64, { text, headLength: least(head), tailLength: least(tail) });
    }
  }
  return { plain: [...plain.values()], base64: [...base64.values()] };
}

function add(needles: Map<string, Needle>, needle: Needle): void {
  if (needle.text.length >= ANCHOR_LENGTH) needles.set(needle.text, needle);
}

/** The value without its kind's common beginning; empty for a JSON document, whose members are searched instead. */
function coreOf(secret: string): string {
  const trimmed = secret.trim();
  if (trimmed.startsWith('{') && trimmed.endsWith('}')) return '';
  return trimmed.replace(COMMON_HEAD, '').replace(COMMON_TAIL, '');
}

/** The base64 of the bytes at this offset in a three-byte group, without characters that hold bits of their neighbours. */
export function base64Core(bytes: Buffer, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.byteLength) * 8) / 6));
}

/** Parts of a document's member are searched only from this length on. */
export const isLongMember = (member: string): boolean => member.length >= DOCUMENT_MEMBER_LENGTH_MIN;
