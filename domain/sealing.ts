import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';
import type { Json } from './json.ts';
import { canonicalJson } from './canonical-json.ts';

/** AES-256-GCM: nonce | ciphertext | tag. The caller supplies the associated data: a copied box does not open. */
export const SEALING_KEY_BYTES = 32;
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/** A box did not open: wrong key, wrong associated data, or changed bytes. The message says no more than that. */
export class SealBrokenError extends Error {
  constructor(what: string) {
    super(`${what} did not open: it was changed, moved, or sealed under another key`);
    this.name = 'SealBrokenError';
  }
}

/** Seals bytes under a 32-byte key with a fresh random nonce. The associated data is any JSON, compared as JCS. */
export function sealBytes(key: KeyObject, plaintext: Uint8Array, associatedData: Json): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedBytes(associatedData));
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** The bytes that `sealBytes` sealed under the same key and associated data. Throws SealBrokenError, which names only `what`. */
export function openBytes(key: KeyObject, box: Uint8Array, associatedData: Json, what: string): Buffer {
  if (box.byteLength < NONCE_BYTES + TAG_BYTES) throw new SealBrokenError(what);
  const nonce = box.subarray(0, NONCE_BYTES);
  const ciphertext = box.subarray(NONCE_BYTES, box.byteLength - TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(associatedBytes(associatedData));
  decipher.setAuthTag(box.subarray(box.byteLength - TAG_BYTES));
  const opened = decipher.update(ciphertext);
  try {
    return Buffer.concat([opened, decipher.final()]);
  } catch {
    // OpenSSL's own message helps nobody; unauthenticated plaintext must not stay in memory.
    opened.fill(0);
    throw new SealBrokenError(what);
  }
}

/** JCS quotes and separates every part, so that different associated data never give the same bytes. */
function associatedBytes(associatedData: Json): Buffer {
  return Buffer.from(canonicalJson(associatedData), 'utf8');
}
