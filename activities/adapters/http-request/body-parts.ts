import type { ClientRequest } from 'node:http';
import { once } from 'node:events';
import type { BodyPart } from '../../../domain/adapters/adapter-descriptor.ts';
import type { Attachment } from '../../../domain/files/attachments.ts';
import type { Bytes } from '../../../domain/files/file-store.ts';
import { asError } from './dial.ts';

/** The length of the body, which the target is told before the first byte: a body that breaks off cannot pass for a whole one. */
export function bytesOfParts(parts: readonly BodyPart[]): number {
  return parts.reduce((bytes, part) => {
    if ('text' in part) return bytes + Buffer.byteLength(part.text);
    const { size } = part.file;
    return bytes + (part.encoding === 'raw' ? size : 4 * Math.ceil(size / 3));
  }, 0);
}

/** Reads a file that a request carries. It ends with an error, before its last bytes, where they are not those of the digest. */
export type AttachedBytes = (file: Attachment) => Bytes;

export interface Sending {
  egress: { bytes: number };
  attached: AttachedBytes | undefined;
  /** Called right before each write. Throws where nothing more may be sent. */
  beforeWrite: () => void;
}

/** Streams a body with files as fast as the target reads. A failure, or a target that closes, fails the request. */
export function sendParts(outgoing: ClientRequest, parts: readonly BodyPart[], sending: Sending): void {
  pass(outgoing, parts, sending).then(
    () => outgoing.end(),
    (error: unknown) => outgoing.destroy(asError(error)),
  );
}

async function pass(outgoing: ClientRequest, parts: readonly BodyPart[], sending: Sending): Promise<void> {
  for (const part of parts) {
    for await (const chunk of bytesOf(part, sending)) {
      if (outgoing.destroyed) return;
      sending.beforeWrite();
      sending.egress.bytes += chunk.byteLength;
      if (!outgoing.write(chunk)) await writable(outgoing);
    }
  }
}

async function writable(outgoing: ClientRequest): Promise<void> {
  if (outgoing.closed) return;
  const over = new AbortController();
  const { signal } = over;
  try {
    await Promise.race([once(outgoing, 'drain', { signal }), once(outgoing, 'close', { signal })]);
  } finally {
    over.abort();
  }
}

function bytesOf(part: BodyPart, { attached }: Sending): Bytes | [Buffer] {
  if ('text' in part) return [Buffer.from(part.text)];
  if (attached === undefined) throw new Error('a request carries files, and nothing reads them');
  const bytes = attached(part.file);
  return part.encoding === 'raw' ? bytes : inBase64(bytes);
}

/** Three bytes make four characters: what is left of a chunk waits for the next one. */
async function* inBase64(bytes: Bytes): Bytes {
  let rest = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const all = Buffer.concat([rest, chunk]);
    const whole = all.byteLength - (all.byteLength % 3);
    rest = all.subarray(whole);
    if (whole > 0) yield Buffer.from(all.toString('base64', 0, whole), 'latin1');
  }
  if (rest.byteLength > 0) yield Buffer.from(rest.toString('base64'), 'latin1');
}
