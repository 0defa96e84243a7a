import { createHash, randomInt } from 'node:crypto';

/** Source: service.md "Authentication" 2 and decisions.md "Identity, keys". */
export const API_KEY_PREFIX = 'service_live_';
const RANDOM_CHARACTERS = 32;
/** What a listing may show of a key. */
const SHOWN_CHARACTERS = 18;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A new key: 190 bits from the system's generator. `randomInt` draws again rather than fold, so no character is likelier. */
export function generateApiKey(): string {
  let key = API_KEY_PREFIX;
  for (let position = 0; position < RANDOM_CHARACTERS; position++) key += BASE62.charAt(randomInt(BASE62.length));
  return key;
}

/** The only form in which a key is stored. Its entropy makes a salt or a slow hash pointless. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest();
}

export function shownPrefixOf(key: string): string {
  return key.slice(0, SHOWN_CHARACTERS);
}
