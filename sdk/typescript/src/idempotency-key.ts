import { KEYED_OPERATIONS } from './generated/keyed-operations.ts';

const KEY_BYTES = 16;
/** What every HTTP client and server carries alike: printable ASCII, without white space at its ends, which HTTP removes. */
const KEY = /^(?! )[\x20-\x7e]{1,255}(?<! )$/;

/** 128 random bits. Not `crypto.randomUUID`, which browsers have in secure contexts only. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @throws {TypeError} before anything is sent. */
export function checkKey(key: string, operation: string): void {
  if (!KEYED_OPERATIONS.has(operation))
    throw new TypeError(`${operation} takes no Idempotency-Key: naming one would promise what does not hold.`);
  if (!KEY.test(key))
    throw new TypeError('An idempotencyKey is 1 to 255 printable ASCII characters, without white space at its ends.');
}
