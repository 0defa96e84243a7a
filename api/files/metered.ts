import { createHash } from 'node:crypto';
import { ServiceError } from '../../domain/errors.ts';
import type { Bytes } from '../../domain/files/file-store.ts';

export interface Metered {
  bytes: Bytes;
  size(): number;
  /** Whether the source ended without breaking off. */
  isWhole(): boolean;
  /** Hexadecimal, over all bytes so far. Call it once, at the end. */
  sha256(): string;
}

export interface Bound {
  bytesMax: number;
  refusal(): ServiceError;
}

export const largest = (bytesMax: number): Bound => ({
  bytesMax,
  refusal: () => new ServiceError('PAYLOAD_TOO_LARGE', { message: `The file is larger than ${bytesMax} bytes.` }),
});

/** Ends with the refusal once the bound is exceeded. */
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
