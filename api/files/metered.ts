import { createHash } from 'node:crypto';
import { ServiceError } from '../../domain/errors.ts';
import type { Bytes } from '../../domain/files/file-store.ts';

/** Bytes that are counted and hashed on their way. */
export interface Metered {
  bytes: Bytes;
  /** How many have passed. */
  size(): number;
  /** Whether all have passed: the source has ended, and did not break off. */
  isWhole(): boolean;
  /** Hex, over all that have passed. Ask once, at the end. */
  sha256(): string;
}

/** Where bytes end that are too many, and with what. */
export interface Bound {
  bytesMax: number;
  refusal(): ServiceError;
}

export const largest = (bytesMax: number): Bound => ({
  bytesMax,
  refusal: () => new ServiceError('PAYLOAD_TOO_LARGE', { message: `The file is larger than ${bytesMax} bytes.` }),
});

/** The bytes end with the refusal as soon as there are more of them than the bound. */
export function metered(source: Bytes, { bytesMax, refusal }: Bound): Metered {
  const hash = createHash('sha256');
  let size = 0;
  let isWhole = false;
  async function* pass(): Bytes {
    for await (const chunk of source) {
      size += chunk.byteLength;
      if (size > bytesMax) throw refusal();
      hash.update(chunk);
      yield chunk;
    }
    isWhole = true;
  }
  return { bytes: pass(), size: () => size, isWhole: () => isWhole, sha256: () => hash.digest('hex') };
}
