import type { ProviderResponse } from '../../../domain/adapters/adapter-descriptor.ts';
import { KEPT_HEADER_CHARACTERS_MAX } from '../../../domain/adapters/kept-response.ts';
import { isJsonMediaType, mediaTypeOf } from '../../../domain/adapters/media-types.ts';
import { growthOfNumbers, isJsonObject, jsonDepthExceeds, NUMBERS_GROWTH_BYTES_MAX } from '../../../domain/json.ts';
import type { Json } from '../../../domain/json.ts';
import { REDACTED } from '../../../domain/redacted.ts';
import type { RawResponse } from './exchange.ts';
import { numbersIn, parseWithExactIntegers } from './json-numbers.ts';
import type { Redactor } from './redaction.ts';

export interface ReadResponse {
  response: ProviderResponse;
  /** Why a response that was read to the end still proves nothing; null where it can be judged. */
  unreadable: string | null;
}

const HEADERS_MAX = 50;
const BODY_DEPTH_MAX = 200;

/** Headers that carry credentials or belong to the connection; they are not kept. */
const DROPPED_HEADERS: readonly string[] = [
  'set-cookie',
  'set-cookie2',
  'authorization',
  'authentication-info',
  'www-authenticate',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'trailer',
];

/** Turns a response into its stored form: credentials removed, headers bounded, the body as JSON, text or base64. */
export function readResponse(raw: RawResponse, redactor: Redactor): ReadResponse {
  if (!redactor.canSearch(raw.body.byteLength)) return { response: nothingKept(raw.status), unreadable: null };
  const headers = keptHeaders(raw.headers, redactor);
  const header = (name: string): string => raw.headers.find(([given]) => given === name)?.[1] ?? '';
  const encoding = header('content-encoding').trim().toLowerCase();
  const shell = { status: raw.status, headers };
  if (raw.body.byteLength > 0 && encoding !== '' && encoding !== 'identity') {
    // A compressed body cannot be searched for credentials, so nothing of it is kept.
    const response: ProviderResponse = { ...shell, body: null, bodyEncoding: 'json' };
    return { response, unreadable: 'its body is compressed although that was not asked for' };
  }
  // A NUL suggests UTF-16 without a byte order mark, which also decodes as UTF-8. The credentials are in its bytes.
  const bytes = raw.body.includes(0) ? redactor.bytes(raw.body) : raw.body;
  const text = decodeUtf8(bytes);
  const isJson = raw.body.byteLength > 0 && isJsonMediaType(mediaTypeOf(header('content-type')));
  if (text === null) {
    const body = redactor.bytes(bytes).toString('base64');
    const unreadable = isJson ? 'its body says that it is JSON and is not UTF-8' : null;
    return { response: { ...shell, body, bodyEncoding: 'base64' }, unreadable };
  }
  const parsed = isJson ? parseJson(text) : undefined;
  if (parsed === undefined) {
    const unreadable = isJson ? 'its body says that it is JSON and cannot be read as that' : null;
    return { response: { ...shell, ...textBody(redactor.text(text)) }, unreadable };
  }
  const body = storable(redactor.json(parsed));
  const written = JSON.stringify(body);
  // A secret that is itself JSON can be spread over members, and a numeric one can lose its last digits. In both cases only
  // the text can be redacted. Numbers that PostgreSQL would write out at many times their length are kept as text too.
  const isTextOnly =
    redactor.text(written) !== written ||
    holdsRoundedSecret(text, redactor) ||
    growthOfNumbers(body, written) > NUMBERS_GROWTH_BYTES_MAX;
  if (isTextOnly) {
    return { response: { ...shell, ...textBody(redactor.text(text)) }, unreadable: null };
  }
  return { response: { ...shell, body, bodyEncoding: 'json' }, unreadable: null };
}

/** What is left of a response that could not be searched for credentials. */
export function nothingKept(status: number): ProviderResponse {
  return { status, headers: {}, body: REDACTED, bodyEncoding: 'utf8' };
}

/** True where a number equals a secret as written, but not as JavaScript parses it (`12.50`, more than 16 digits). */
function holdsRoundedSecret(text: string, redactor: Redactor): boolean {
  const rounded = Array.from(numbersIn(text), ({ token }) => token).filter((token) => String(Number(token)) !== token);
  return redactor.texts(rounded).some((token, at) => token !== rounded[at]);
}

/** The response headers that are kept: no credentials, bounded in number and length. */
export function keptHeaders(headers: [string, string][], redactor: Redactor): Record<string, string> {
  const candidates = headers.filter(([name]) => !DROPPED_HEADERS.includes(name) && !name.startsWith('proxy-'));
  const names = redactor.texts(candidates.map(([name]) => name));
  const kept = candidates.filter(([name], at) => names[at] === name).slice(0, HEADERS_MAX);
  const values = redactor.texts(kept.map(([, value]) => value));
  return Object.fromEntries(
    kept.map(([name], at) => [name, (values[at] ?? REDACTED).slice(0, KEPT_HEADER_CHARACTERS_MAX)]),
  );
}

/** Null where the bytes are not UTF-8. */
function decodeUtf8(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Undefined where the text is not JSON, or nests too deep to be walked. The parser's error would quote the text. */
function parseJson(text: string): Json | undefined {
  try {
    const value = parseWithExactIntegers(text);
    return jsonDepthExceeds(value, BODY_DEPTH_MAX) ? undefined : value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** PostgreSQL's text type takes no NUL: such a body is kept as bytes. */
function textBody(text: string): Pick<ProviderResponse, 'body' | 'bodyEncoding'> {
  if (!text.includes('\u0000')) return { body: text, bodyEncoding: 'utf8' };
  return { body: Buffer.from(text, 'utf8').toString('base64'), bodyEncoding: 'base64' };
}

const REPLACEMENT = '\uFFFD';

/** PostgreSQL's jsonb takes neither NUL nor half of a surrogate pair. The replacement character takes their place. */
function storable(value: Json): Json {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [storableText(name), storable(member)]));
}

function storableText(text: string): string {
  return text.replaceAll('\u0000', REPLACEMENT).replace(/\p{Surrogate}/gu, REPLACEMENT);
}

const REQUEST_ID_HEADERS: readonly string[] = ['x-request-id', 'request-id', 'x-amzn-requestid', 'x-correlation-id'];

/** The provider's id for this call, where the response names one. */
export function providerIdsOf({ headers }: ProviderResponse): Record<string, string> {
  const name = REQUEST_ID_HEADERS.find((candidate) => Object.hasOwn(headers, candidate));
  const value = name === undefined ? undefined : headers[name];
  return value === undefined || value.includes(REDACTED) ? {} : { requestId: value };
}
