import { createHash } from 'node:crypto';
import { REDACTED } from '../redacted.ts';
import type { ErrorArea } from './kinds.ts';

/** A sample is read by holders of `analytics:read`, who need not be allowed to read its record. */
export const SAMPLE_CHARACTERS_MAX = 300;
export const TREND_PARTS = 24;
/** Records that an error names as samples, and what they are about. */
export const SAMPLES_MAX = 5;
export const AFFECTED_MAX = 5;
const FINGERPRINT_DIGITS = 16;

/** Names one kind of error: the same area, code and text have the same one in every environment and at any time. */
export function fingerprintOf(area: ErrorArea, code: string, message: string): string {
  const digest = createHash('sha256').update([area, code, message].join('\0')).digest('hex');
  return `err_${digest.slice(0, FINGERPRINT_DIGITS)}`;
}

/** Only so much of a text is searched for what is secret; the sample is shorter. */
const SEARCHED_CHARACTERS_MAX = 4 * SAMPLE_CHARACTERS_MAX;
const URL_WITH_MORE = /\b([a-z][a-z0-9+.-]{1,20}:\/\/)([^\s"'<>/?#]*)([^\s"'<>?#]*)([?#][^\s"'<>]*)?/gi;
const EMAIL = /[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g;
const CREDENTIAL =
  /\b(authorization|api[-_ ]?key|token|secret|password|passwd|signature)(["']?\s*[:=]\s*["']?)(?:(?:bearer|basic)\s+)?[^\s"',;]+/gi;
const BEARER = /\b(bearer|basic)(\s+)[^\s"',;]+/gi;
/** Keys, tokens and digests: one word of letters and digits that is too long to be language. Our own ids stay readable. */
const LONG_WORD = /\b(?!(?:inv|eff|msg|sch|run|evt|sub|apr|act|pol|prv)_)(?=[\w+=-]*\d)[\w+=-]{20,}/g;
/** Card and account numbers. */
const LONG_NUMBER = /\b\d(?:[ -]?\d){11,}\b/g;

/**
 * An error's message without credentials, addresses, long numbers and parts of URLs: one line, at most 300 characters.
 */
export function sampleOf(message: string): string {
  const line = message.slice(0, SEARCHED_CHARACTERS_MAX).replace(/\s+/g, ' ').trim();
  const clean = line
    .replace(URL_WITH_MORE, (_, scheme: string, authority: string, path: string) => {
      return `${scheme}${authority.slice(authority.lastIndexOf('@') + 1)}${path}`;
    })
    .replace(EMAIL, REDACTED)
    .replace(CREDENTIAL, (_, name: string, between: string) => `${name}${between}${REDACTED}`)
    .replace(BEARER, (_, name: string, between: string) => `${name}${between}${REDACTED}`)
    .replace(LONG_NUMBER, REDACTED)
    .replace(LONG_WORD, REDACTED);
  const characters = Array.from(clean);
  if (characters.length <= SAMPLE_CHARACTERS_MAX) return clean;
  return `${characters.slice(0, SAMPLE_CHARACTERS_MAX - 1).join('')}…`;
}
