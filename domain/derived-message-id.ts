import { createHash } from 'node:crypto';
import { encodeUuid, ID_PREFIXES } from './ids.ts';

const MS_BYTES = 6;
const UUID_BYTES = 16;

/** A message's id that follows from its cause: a UUIDv7 of `at` and the cause's SHA-256, the same at each try. */
export function derivedMessageId(at: Date, cause: readonly string[]): string {
  const digest = createHash('sha256').update(cause.join('/'), 'utf8').digest();
  const bytes = Buffer.alloc(UUID_BYTES);
  bytes.writeUIntBE(at.getTime(), 0, MS_BYTES);
  digest.copy(bytes, MS_BYTES, 0, UUID_BYTES - MS_BYTES);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70; // version 7
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80; // the variant of RFC 9562
  return `${ID_PREFIXES.message}_${encodeUuid(bytes.toString('hex'))}`;
}
