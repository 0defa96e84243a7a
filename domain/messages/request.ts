import { headerNameIssue } from '../adapters/http-request-rules.ts';

/** The rules for a publisher's request: its URL, headers and delay. Each function returns what is wrong, or null. */

const URL_CHARACTERS_MAX = 2_048;
/** RFC 3986, 2: everything else must be percent-encoded. */
const URL_CHARACTERS =
  /^https?:\/\/(\[[0-9A-Fa-f:.]+\]|[^[\]/?#]*)(:\d+)?([/?#]([A-Za-z0-9._~:/?#@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)?$/i;
const URL_AUTHORITY_CHARACTERS =
  /^https?:\/\/([A-Za-z0-9._~:@!$&'()*+,;=-]|%[0-9A-Fa-f]{2}|\[[0-9A-Fa-f:.]+\])+([/?#]|$)/i;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
export const HEADER_VALUE_CHARACTERS_MAX = 8_192;
export const HEADERS_MAX = 50;
/** Set by the service on every delivery. */
const RESERVED_HEADERS = /^(webhook-|x-service-)/i;

/** Authorization, cookies and API keys (docs/messages.md, "What is sent"), and the usual header names of other tokens. */
const SENSITIVE_HEADERS: readonly RegExp[] = [
  /(^|-)authorization$/i,
  /^(set-)?cookie2?$/i,
  /api[-_]?key/i,
  /(access|subscription|functions?|private|secret)[-_]?key/i,
  /(auth|access|session|security|private|refresh|id|bearer|csrf|xsrf)[-_]?token/i,
  /secret|passw(or)?d|credential/i,
];

export function destinationUrlIssue(text: string): string | null {
  if (text.length > URL_CHARACTERS_MAX) return `must be at most ${URL_CHARACTERS_MAX} characters`;
  if (!/^https?:\/\//i.test(text)) return 'must begin with http:// or https://';
  if (!URL_CHARACTERS.test(text) || !URL_AUTHORITY_CHARACTERS.test(text) || !URL.canParse(text)) {
    return 'is not a URL; other characters must be percent-encoded';
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must not carry credentials: use a header';
  return null;
}

export function isSensitiveHeader(name: string): boolean {
  return SENSITIVE_HEADERS.some((pattern) => pattern.test(name));
}

/** What is wrong with the headers, by name. */
export function headerIssues(headers: Readonly<Record<string, string>>): { name: string; message: string }[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    const repeated = seen.has(lower);
    seen.add(lower);
    const message = headerIssue(name, value) ?? (repeated ? 'is given twice' : null);
    return message === null ? [] : [{ name, message }];
  });
}

function headerIssue(name: string, value: string): string | null {
  const nameIssue = headerNameIssue(name);
  if (nameIssue !== null) return nameIssue;
  if (RESERVED_HEADERS.test(name)) return 'is set by the service; leave it out';
  if (value.length > HEADER_VALUE_CHARACTERS_MAX) return `is longer than ${HEADER_VALUE_CHARACTERS_MAX} characters`;
  return HEADER_VALUE.test(value) ? null : 'holds a character that a header cannot carry';
}

export const DELAY_SECONDS_MAX = 365 * 24 * 60 * 60;
const DURATION = /^(?=\d)(?:(\d{1,5})d)?(?:(\d{1,7})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?$/;

/** The seconds of a duration such as `1d10h30m`; null if it is invalid or longer than a year. */
export function parseDelaySeconds(text: string): number | null {
  const match = DURATION.exec(text);
  if (match === null) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  const total = ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
  return total <= DELAY_SECONDS_MAX ? total : null;
}
