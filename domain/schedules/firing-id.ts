import { createHash } from 'node:crypto';
import { encodeUuid, ID_PREFIXES } from '../ids.ts';
import type { RunTrigger } from './schedules.ts';

const MS_BYTES = 6;
const UUID_BYTES = 16;

/**
 * The id of the message of a firing: a UUIDv7 whose time is the nominal time, and whose other bits are of the SHA-256 of schedule,
 * trigger, nominal time and endpoint. A firing that is tried again has the same one.
 */
export function firingMessageId({
  scheduleId,
  trigger,
  nominalAt,
  endpointId,
}: {
  scheduleId: string;
  trigger: RunTrigger;
  nominalAt: Date;
  /** Set where the destination is a URL group, which has a message for each endpoint. */
  endpointId: string | null;
}): string {
  const cause = [scheduleId, trigger, nominalAt.toISOString(), ...(endpointId === null ? [] : [endpointId])];
  const digest = createHash('sha256').update(cause.join('/'), 'utf8').digest();
  const bytes = Buffer.alloc(UUID_BYTES);
  bytes.writeUIntBE(nominalAt.getTime(), 0, MS_BYTES);
  digest.copy(bytes, MS_BYTES, 0, UUID_BYTES - MS_BYTES);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70; // version 7
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80; // the variant of RFC 9562
  return `${ID_PREFIXES.message}_${encodeUuid(bytes.toString('hex'))}`;
}
