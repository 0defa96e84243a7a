import { canonicalJson } from '../canonical-json.ts';
import type { ExactJson } from '../json.ts';
import { REDACTED } from '../redacted.ts';

/** The most characters that are kept of a header's value. */
export const KEPT_HEADER_CHARACTERS_MAX = 1_024;

/** Why a value of a stored response is not the one that the provider gave; null where it is. A header that long may have been cut. */
export function lossOf(value: ExactJson, member: 'headers' | 'other'): string | null {
  // The mark holds nothing that JSON escapes.
  if (canonicalJson(value).includes(REDACTED)) return `holds ${REDACTED}`;
  const texts = typeof value === 'object' && value !== null ? Object.values(value) : [value];
  const wasCut = texts.some((text) => typeof text === 'string' && text.length >= KEPT_HEADER_CHARACTERS_MAX);
  return member === 'headers' && wasCut ? `may have been cut at ${KEPT_HEADER_CHARACTERS_MAX} characters` : null;
}
