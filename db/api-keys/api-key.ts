import { hash, randomInt } from 'node:crypto';

/** The format of a key: docs/identity.md, "API keys". */
export const API_KEY_PREFIX = 'service_live_';
const RANDOM_CHARACTERS = 32;
/** The part of a key that a list may show. */
const SHOWN_CHARACTERS = 18;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A new key with 190 bits of entropy from the system's generator. `randomInt` is uniform: it rejects instead of folding. */
export function generateApiKey(): string {
  let key = API_KEY_PREFIX;
  for (let position = 0; position < RANDOM_CHARACTERS; position++) key += BASE62.charAt(randomInt(BASE62.length));
  return key;
}

/** The only form in which a key is stored. The key's entropy makes a salt or a slow hash unnecessary. */
export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

export function shownPrefixOf(key: string): string {
  return key.slice(0, SHOWN_CHARACTERS);
}
