import { createSecretKey, type KeyObject } from 'node:crypto';
import { SEALING_KEY_BYTES } from './sealing.ts';

export interface VersionedKeys {
  keys: ReadonlyMap<number, KeyObject>;
  /** The highest version that is not marked with `~`; null where all are marked. */
  sealing: number | null;
}

/** Something was sealed with a key that is not given. The message names its version. */
export class UnknownKeyError extends Error {
  override readonly name = 'UnknownKeyError';
}

const VERSION_MAX = 2_147_483_647; // the range of the database's integer
const ENTRY = /^(~?)([1-9][0-9]{0,9}):([A-Za-z0-9+/_-]+={0,2})$/;

/**
 * Parses `1:<base64 of 32 bytes>,~2:<base64 of 32 bytes>`. Every key opens; the highest without `~` seals: a new key is marked until every
 * process can open what it seals. Throws `Refusal`, which names the position of a bad entry and never its text. `what`: such a key's name.
 */
export function parseVersionedKeys(
  text: string,
  what: string,
  Refusal: new (message: string) => Error = Error,
): VersionedKeys {
  const keys = new Map<number, KeyObject>();
  const sealing: number[] = [];
  for (const [index, entry] of text.split(',').entries()) {
    const [, mark, versionText, keyText] = ENTRY.exec(entry.trim()) ?? [];
    const version = Number(versionText);
    if (versionText === undefined || keyText === undefined || version > VERSION_MAX) {
      throw new Refusal(`${what} ${index + 1} is not of the form <version>:<base64 of 32 bytes>`);
    }
    const key = Buffer.from(keyText, 'base64');
    if (key.byteLength !== SEALING_KEY_BYTES) {
      throw new Refusal(`${what} version ${version} has ${key.byteLength} bytes; it needs 32`);
    }
    if (keys.has(version)) throw new Refusal(`${what} version ${version} is given twice`);
    keys.set(version, createSecretKey(key));
    key.fill(0);
    if (mark === '') sealing.push(version);
  }
  return { keys, sealing: sealing.length === 0 ? null : Math.max(...sealing) };
}
