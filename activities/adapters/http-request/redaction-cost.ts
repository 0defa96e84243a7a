import { isUtf8 } from 'node:buffer';
import { byteForms, searchedValues } from './redaction.ts';
import type { RedactionWork } from './redaction-job.ts';

/** A search within it takes some 50 ms at most, whatever the secret and the text are. */
const INLINE_COST_MAX = 1_500_000;
/** What a text costs besides the values: it is read, parsed and searched for their parts. */
const LENGTH_OF_NOTHING = 8;
/** A pattern is compiled before it is searched for: as long as a search of so many characters takes. */
const COMPILING_TEXT = 8_000;
const COMPILING_BYTES = 18_000;
/** What an escape adds: a pattern tries up to eight of them before each character. */
const ESCAPE = 50;
const BACKSLASH = 0x5c;
const PERCENT = 0x25;

/**
 * Whether a search is quick enough for the event loop that all tenants share. Most are. A bound for the worst text and not an estimate:
 * characters of the secrets times those of the text, escapes counted many times.
 */
export function isQuick(work: RedactionWork, secrets: readonly string[]): boolean {
  const values = searchedValues(secrets);
  if (values.length === 0) return true;
  if (values.some(isAmbiguous)) return false;
  const length = values.reduce((sum, value) => sum + value.length, LENGTH_OF_NOTHING);
  const budget = INLINE_COST_MAX / length;
  const texts = searchedIn(work);
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (COMPILING_TEXT + characters > budget) return false;
  const compiling = isSearchedAsBytes(work) ? COMPILING_BYTES : COMPILING_TEXT;
  const escapes = texts.reduce((sum, text) => sum + escapesIn(text), 0);
  return compiling + characters + ESCAPE * escapes <= budget;
}

const ESCAPE_SIGN = /\\|%(?:25)*5c/i;

/**
 * True where a value holds what also escapes a character. There are many ways to match it then, and trying all of them takes time that
 * grows exponentially with its length: seconds for 20 characters in 50.
 */
function isAmbiguous(value: string): boolean {
  return ESCAPE_SIGN.test(value) || byteForms(value).some((form) => ESCAPE_SIGN.test(form));
}

function searchedIn(work: RedactionWork): (string | Buffer)[] {
  switch (work.kind) {
    case 'response':
      return [...work.raw.headers.flat(), work.raw.body];
    case 'bytes':
      return [...work.headers.flat(), ...(work.body === null ? [] : [work.body])];
    case 'texts':
      return [...work.texts];
    case 'json':
      return [JSON.stringify(work.value)];
  }
}

function isSearchedAsBytes(work: RedactionWork): boolean {
  if (work.kind === 'bytes') return work.body !== null && work.body.length > 0;
  return work.kind === 'response' && (work.raw.body.includes(0) || !isUtf8(work.raw.body));
}

function escapesIn(text: string | Buffer): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = typeof text === 'string' ? text.charCodeAt(at) : text[at];
    if (unit === BACKSLASH || unit === PERCENT) count++;
  }
  return count;
}
