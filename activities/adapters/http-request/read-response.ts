import type { ProviderResponse } from '../../../domain/adapters/adapter-descriptor.ts';
import { KEPT_HEADER_CHARACTERS_MAX } from '../../../domain/adapters/kept-response.ts';
import { isJsonMediaType, mediaTypeOf } from '../../../domain/adapters/media-types.ts';
import {
  growthOfNumbers,
  isJsonObject,
  type Json,
  jsonDepthExceeds,
  NUMBERS_GROWTH_BYTES_MAX,
} from '../../../domain/json.ts';
import { REDACTED } from '../../../domain/redacted.ts';
import type { RawResponse } from './exchange.ts';
import { parseWithExactIntegers } from './json-numbers.ts';
import { createRedactor, type Redactor } from './redaction.ts';

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

/** Turns a response into its stored form: the secrets removed, headers bounded, the body as JSON, text or base64. */
export async function readResponse(raw: RawResponse, secrets: Iterable<string>): Promise<ReadResponse> {
  const redactor = createRedactor(secrets);
  if (!redactor.canSearch) return { response: nothingKept(raw.status), unreadable: null };
  const shell = { status: raw.status, headers: keptHeaders(raw.headers, redactor) };
  const header = (name: string): string => raw.headers.find(([given]) => given === name)?.[1] ?? '';
  const encoding = header('content-encoding').trim().toLowerCase();
  if (raw.body.byteLength > 0 && encoding !== '' && encoding !== 'identity') {
    // A compressed body cannot be searched for credentials, so nothing of it is kept.
    const response: ProviderResponse = { ...shell, body: null, bodyEncoding: 'json' };
    return { response, unreadable: 'its body is compressed although that was not asked for' };
  }
  const isJson = raw.body.byteLength > 0 && isJsonMediaType(mediaTypeOf(header('content-type')));
  const redacted = await redactor.bytes(raw.body);
  const text = decodeUtf8(redacted);
  if (text === null) {
    const unreadable = isJson ? 'its body says that it is JSON and is not UTF-8' : null;
    return { response: { ...shell, body: redacted.toString('base64'), bodyEncoding: 'base64' }, unreadable };
  }
  const asText: ProviderResponse = { ...shell, ...textBody(text) };
  if (!isJson) return { response: asText, unreadable: null };
  const given = redacted === raw.body ? text : decodeUtf8(raw.body);
  const parsed = given === null ? undefined : parseJson(given);
  if (parsed === undefined) {
    return { response: asText, unreadable: 'its body says that it is JSON and cannot be read as that' };
  }
  const body = await redactedJson(text, redacted === raw.body ? parsed : parseJson(quoteMarks(text)), redactor);
  if (body === undefined) return { response: asText, unreadable: null };
  return { response: { ...shell, body, bodyEncoding: 'json' }, unreadable: null };
}

/**
 * The body as it is stored; undefined where only its text can be: a secret that was more than one member, or numbers that PostgreSQL would
 * write out at many times their length. Parsing may write a number as a secret is written (`1234e1`), so the result is searched too.
 */
async function redactedJson(text: string, parsed: Json | undefined, redactor: Redactor): Promise<Json | undefined> {
  if (parsed === undefined) return undefined;
  const body = storable(parsed);
  const written = JSON.stringify(body);
  if (growthOfNumbers(body, written) > NUMBERS_GROWTH_BYTES_MAX) return undefined;
  if (written === text) return body;
  const before = Buffer.from(written);
  const after = await redactor.bytes(before);
  return after === before ? body : parseJson(quoteMarks(after.toString('utf8')));
}

const QUOTE_OR_MARK = /"|\\["\\]|\[REDACTED\]/g;

/** Makes a text of each mark that stands in place of a number or another value. */
function quoteMarks(json: string): string {
  let isInString = false;
  return json.replace(QUOTE_OR_MARK, (token) => {
    if (token === '"') isInString = !isInString;
    return token === REDACTED && !isInString ? `"${REDACTED}"` : token;
  });
}

/** What is left of a response that could not be searched for credentials. */
export function nothingKept(status: number): ProviderResponse {
  return { status, headers: {}, body: REDACTED, bodyEncoding: 'utf8' };
}

/** The response headers that are kept: no credentials, bounded in number and length. */
export function keptHeaders(headers: [string, string][], redactor: Redactor): Record<string, string> {
  const kept = headers
    .filter(([name]) => !DROPPED_HEADERS.includes(name) && !name.startsWith('proxy-') && redactor.text(name) === name)
    .slice(0, HEADERS_MAX);
  return Object.fromEntries(
    kept.map(([name, value]) => [name, redactor.text(value).slice(0, KEPT_HEADER_CHARACTERS_MAX)]),
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

export function providerIdsOf({ headers }: ProviderResponse): Record<string, string> {
  const name = REQUEST_ID_HEADERS.find((candidate) => Object.hasOwn(headers, candidate));
  const value = name === undefined ? undefined : headers[name];
  return value === undefined || value.includes(REDACTED) ? {} : { requestId: value };
}
