import { DeliveryVerificationError, type DeliveryFault } from './errors.ts';

export interface DeliveryOptions {
  /** The signing secret (`whsec_…`), or several: while secrets rotate, both. */
  secret: string | readonly string[];
  /** The environment that this receiver is for. Configure it; never take it from the delivery. */
  environmentId: string;
  /** How old a delivery may be, and how far ahead the sender's clock. */
  toleranceSeconds?: number;
  /** Accepts a delivery without a v2 signature. Any environment of the workspace can then have sent it: for the time of a migration only. */
  acceptV1Only?: boolean;
  /** The time, in Unix milliseconds. */
  now?: () => number;
}

export interface VerifiedDelivery {
  /** The same at every attempt: deduplicate by it. */
  messageId: string;
  timestampSeconds: number;
  /** False only for a delivery without v2, where `acceptV1Only` let it pass. */
  environmentVerified: boolean;
}

/** Headers of a `Request`, or of Node's `http`. */
export type DeliveryHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = 'whsec_';
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const TIMESTAMP = /^\d{1,12}$/;

/**
 * Whether the service sent this delivery, for this environment and not long ago. Both signatures count, because each signs what the other
 * does not: v1 the message's id, v2 the environment. A v2 that is there and wrong is a failure. `body` is the raw body, before any parsing.
 *
 * @throws {DeliveryVerificationError} with the `reason`: sdk/vectors/README.md, "Deliveries".
 */
export async function verifyDelivery(
  headers: DeliveryHeaders,
  body: string | Uint8Array,
  options: DeliveryOptions,
): Promise<VerifiedDelivery> {
  const keys = await keysOf(options.secret);
  const [messageId, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  ) as [string, string, string];
  const timestampSeconds = checkTimestamp(timestamp, options);
  const parts = signatures.split(' ');
  const signed = async (version: string, prefix: string): Promise<boolean> => {
    const given = parts.filter((part) => part.startsWith(`${version},`)).map((part) => part.slice(version.length + 1));
    return isSigned(keys, given, prefix, body);
  };
  const has = (version: string): boolean => parts.some((part) => part.startsWith(`${version},`));

  if (!has('v1')) throw fault('v1_missing', 'The delivery has no v1 signature.');
  if (!(await signed('v1', `${messageId}.${timestamp}.`)))
    throw fault(
      'v1_mismatch',
      'The v1 signature is wrong: the id, the time or the body is not what was sent, or the secret is another one.',
    );
  if (!has('v2')) {
    if (options.acceptV1Only !== true)
      throw fault('v2_missing', 'The delivery has no v2 signature, so that its environment is not known.');
    return { messageId, timestampSeconds, environmentVerified: false };
  }
  if (!(await signed('v2', `service-delivery-v2.${timestamp}.${options.environmentId}.`)))
    throw fault('v2_mismatch', `The v2 signature is wrong: another environment than ${options.environmentId} sent it.`);
  return { messageId, timestampSeconds, environmentVerified: true };
}

function fault(reason: DeliveryFault, message: string): DeliveryVerificationError {
  return new DeliveryVerificationError(reason, message);
}

type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

async function keysOf(secret: string | readonly string[]): Promise<HmacKey[]> {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const keys = secrets.map((one) =>
    one.startsWith(SECRET_PREFIX) ? fromBase64(one.slice(SECRET_PREFIX.length)) : null,
  );
  if (keys.length === 0) throw fault('invalid_secret', 'There is no secret to verify with.');
  return Promise.all(
    keys.map((bytes) => {
      // An HMAC of an empty key would verify what anybody can sign.
      if (bytes === null) throw fault('invalid_secret', 'A secret is not whsec_ and base64.');
      return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    }),
  );
}

function checkTimestamp(
  text: string,
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now }: DeliveryOptions,
): number {
  if (!TIMESTAMP.test(text)) throw fault('invalid_timestamp', 'webhook-timestamp is no Unix time in seconds.');
  const timestamp = Number(text);
  const ageSeconds = Math.floor(now() / 1_000) - timestamp;
  if (ageSeconds > toleranceSeconds)
    throw fault('timestamp_too_old', `The delivery was signed ${ageSeconds} seconds ago.`);
  if (ageSeconds < -toleranceSeconds)
    throw fault('timestamp_too_new', `The delivery was signed ${-ageSeconds} seconds ahead of this clock.`);
  return timestamp;
}

/** One signature of one key is enough. `verify` compares in constant time. */
async function isSigned(
  keys: readonly HmacKey[],
  given: readonly string[],
  prefix: string,
  body: string | Uint8Array,
): Promise<boolean> {
  const data = joined(
    new TextEncoder().encode(prefix),
    typeof body === 'string' ? new TextEncoder().encode(body) : body,
  );
  for (const signature of given.flatMap((text) => fromBase64(text) ?? [])) {
    for (const key of keys) if (await crypto.subtle.verify('HMAC', key, signature, data)) return true;
  }
  return false;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(a.length + b.length);
  bytes.set(a);
  bytes.set(b, a.length);
  return bytes;
}

/** Null for what is no base64, or empty. Padding may be left out; `atob` throws where it is there and wrong. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (!BASE64.test(text)) return null;
  const isWhole = text.endsWith('=') ? text.length % 4 === 0 : text.length % 4 !== 1;
  if (!isWhole) return null;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function headerOf(headers: DeliveryHeaders, name: string): string {
  const value =
    typeof headers.get === 'function'
      ? (headers as Headers).get(name)
      : ownHeader(headers as Record<string, string>, name);
  if (value === null || value === '') throw fault('missing_header', `The delivery has no ${name}, or several.`);
  return value;
}

function ownHeader(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  name: string,
): string | null {
  const values = Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? (value ?? []) : []));
  return values.length === 1 ? (values[0] ?? null) : null;
}
