import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { validationError } from '../../domain/errors.ts';
import { meantText } from '../../domain/near-names.ts';
import { METADATA_BYTES_MAX } from '../../domain/files/files.ts';
import type { Bytes } from '../../domain/files/file-store.ts';
import { RequestAbortedError } from '../http/client-gone.ts';

export interface FilePart {
  filename: string;
  contentType: string;
  bytes: Bytes;
}

export interface ReadParts<Received> {
  file: Received;
  fields: ReadonlyMap<string, string>;
}

const FIELDS = ['purpose', 'metadata'];
const BODY = 'is no multipart body with a part `file`';

/**
 * Reads a multipart body as it arrives; `receive` gets the file's bytes, unbuffered. Rejects only after `receive` has ended, so that the
 * caller can clean up. Discards what follows a refusal, so that the client reads the reply.
 *
 * @throws {ServiceError} VALIDATION_ERROR for another body; whatever `receive` throws.
 */
export function readMultipart<Received>(
  incoming: IncomingMessage,
  receive: (part: FilePart) => Promise<Received>,
): Promise<ReadParts<Received>> {
  return new Promise((resolve, reject) => {
    // It ended during the credential lookup, so no event will follow.
    if (incoming.destroyed) throw new RequestAbortedError();
    const parser = openParser(incoming);
    const fields = new Map<string, string>();
    let receiving: Promise<Received> | null = null;
    let stream: Readable | null = null;
    let isRefused = false;
    const refuse = (error: unknown): void => {
      if (isRefused) return;
      isRefused = true;
      incoming.unpipe(parser);
      incoming.resume();
      stream?.destroy(error instanceof Error ? error : new Error('refused'));
      const end = (): void => reject(error);
      if (receiving === null) end();
      else receiving.then(end, end);
    };
    const refuseField = (name: string, message: string): void =>
      refuse(validationError([{ path: `body.${name}`, message }]));

    parser.on('file', (name, part, filename, _encoding, contentType) => {
      // A refusal destroys the part, perhaps unread.
      part.on('error', () => undefined);
      if (name !== 'file' || receiving !== null || isRefused) {
        part.resume();
        return refuseField(name, receiving === null ? unknownPart(name) : 'is sent twice');
      }
      stream = part;
      receiving = receive({ filename: filename ?? '', contentType, bytes: wholeOf(part) });
      receiving.catch(refuse);
    });
    parser.on('field', (name, value, _nameTruncated, isTruncated) => {
      if (name === 'file') return refuseField(name, NO_FILE);
      if (!FIELDS.includes(name)) return refuseField(name, unknownPart(name));
      if (fields.has(name)) return refuseField(name, 'is sent twice');
      if (isTruncated) return refuseField(name, `is larger than ${METADATA_BYTES_MAX} bytes`);
      fields.set(name, value);
    });
    parser.on('partsLimit', () => refuse(validationError([{ path: 'body', message: 'has more parts than it may' }])));
    parser.on('error', () => refuse(incomplete()));
    parser.on('finish', () => {
      if (receiving === null) return refuse(validationError([{ path: 'body.file', message: 'is missing' }]));
      receiving.then((file) => resolve({ file, fields }), refuse);
    });
    incoming.once('error', () => refuse(new RequestAbortedError()));
    incoming.once('close', () => {
      if (!incoming.complete) refuse(new RequestAbortedError());
    });
    incoming.pipe(parser);
  });
}

function openParser(incoming: IncomingMessage): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...incoming.headers, 'content-type': incoming.headers['content-type'] ?? '' },
      // A path in a name is refused, not shortened.
      preservePath: true,
      limits: { parts: 1 + FIELDS.length, fieldSize: METADATA_BYTES_MAX, headerPairs: 20, fieldNameSize: 100 },
    });
  } catch {
    throw validationError([{ path: 'body', message: `${BODY}: its Content-Type names no boundary` }]);
  }
}

/** A part that breaks off is the caller's mistake. */
async function* wholeOf(part: Readable): Bytes {
  try {
    yield* part as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw error instanceof Error && error.message.includes('terminated early') ? incomplete() : error;
  }
}

/** A part without a filename is a text. */
const NO_FILE = 'must be a file: its part has a filename (curl: -F file=@invoice.pdf)';
const unknownPart = (name: string): string => `is not a known field${meantText(name, ['file', ...FIELDS])}`;
const incomplete = (): Error => validationError([{ path: 'body', message: `${BODY}, or it ends early` }]);
