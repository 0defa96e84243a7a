import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { digestOf } from '../../domain/canonical-json.ts';
import { ServiceError, validationError } from '../../domain/errors.ts';
import type { Json } from '../../domain/json.ts';
import { RequestAbortedError } from './client-gone.ts';
import { BODY_VALUES_MAX, type JsonTextOptions, parseJsonText, refuseTooManyParts } from './json-text.ts';
import type { Upload, UploadsOptions } from '../threads/uploads.ts';
import { validateBody } from './validate-request.ts';
import { Turns } from '../../domain/turns.ts';

export const BODY_BYTES_MAX = 1_048_576;

/**
 * Reads the bytes of a JSON body.
 *
 * @throws {ServiceError} PAYLOAD_TOO_LARGE over `bytesMax` or when the upload may not go on, UNSUPPORTED_MEDIA_TYPE.
 */
export async function readJsonBytes(request: IncomingMessage, bytesMax: number, upload?: Upload): Promise<Uint8Array> {
  const bytes = await readBytes(request, bytesMax, upload);
  if (bytes.length > 0) checkMediaType(request);
  return bytes;
}

export interface JsonBytesOptions extends JsonTextOptions {
  /** Limit of members and items; by default `BODY_VALUES_MAX`. Null when the caller has counted them. */
  valuesMax?: number | null;
}

/** @throws {ServiceError} VALIDATION_ERROR for what is not JSON in UTF-8, or has too many parts. */
export function parseJsonBytes(bytes: Uint8Array, options: JsonBytesOptions = {}): unknown {
  const { valuesMax = BODY_VALUES_MAX, path = 'body' } = options;
  if (valuesMax !== null) refuseTooManyParts(bytes, path, valuesMax);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw validationError([{ path: 'body', message: 'is not valid UTF-8' }]);
  }
  return parseJsonText(text, options);
}

export function readBodyAs<Schema extends z.ZodType>(
  schema: Schema,
  bytes: Uint8Array,
): { body: z.output<Schema>; digest: string } {
  const json = bytes.length === 0 ? undefined : parseJsonBytes(bytes);
  const body = validateBody(schema, json) as z.output<Schema>;
  return { body, digest: digestOf((json ?? null) as Json) };
}

/**
 * The bytes of a body. Reads by events, since leaving a `for await` early destroys the connection before the 413 is sent. What follows an
 * oversized body is discarded: Node drains it once the response is out.
 */
export function readBytes(request: IncomingMessage, bytesMax: number, upload?: Upload): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > bytesMax) return reject(tooLarge(bytesMax));
    // It ended while its credential was looked up, so that no event will follow.
    if (request.destroyed) return reject(new RequestAbortedError());
    const chunks: Buffer[] = [];
    let size = 0;
    let isRefused = false;
    const refuse = (error: unknown): void => {
      isRefused = true;
      chunks.length = 0;
      reject(error);
    };
    request.on('data', (chunk: Buffer) => {
      if (isRefused) return;
      size += chunk.length;
      if (size > bytesMax) return refuse(tooLarge(bytesMax));
      try {
        upload?.take(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        refuse(error);
      }
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    // The client's connection ended: neither the service nor a dependency failed.
    request.once('error', () => reject(new RequestAbortedError()));
    request.once('close', () => reject(new RequestAbortedError()));
  });
}

function checkMediaType(request: IncomingMessage): void {
  const [mediaType = '', ...parameters] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (mediaType.trim() !== 'application/json' || !isUtf8) throw new ServiceError('UNSUPPORTED_MEDIA_TYPE');
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', { message: 'Send the body without a Content-Encoding.' });
  }
}

export function tooLarge(bytesMax: number): ServiceError {
  return new ServiceError('PAYLOAD_TOO_LARGE', {
    message: `The request body is larger than ${bytesMax} bytes (${sizeOf(bytesMax)}).`,
  });
}

function sizeOf(bytes: number): string {
  return bytes >= 1_048_576 ? `${Math.round(bytes / 1_048_576)} MiB` : `${Math.round(bytes / 1024)} KiB`;
}

/** Parsing, checking and digesting a body of this size takes about a millisecond of the event loop. */
export const LARGE_BODY_BYTES = 65_536;

export function isLargeBody(bytes: Uint8Array): boolean {
  return bytes.length >= LARGE_BODY_BYTES;
}

/**
 * Spreads work on large bodies over rounds of the event loop, one piece in each: twenty bodies at once would otherwise block every other
 * request.
 */
export class BodyTurns {
  readonly #turns: Turns;

  constructor(later: (run: () => void) => void = (run) => setImmediate(run)) {
    this.#turns = new Turns(later);
  }

  /** Resolves when a body of this size may be processed; at once when it is small. The turn ends at the caller's next `await`. */
  async take(owner: string, bytes: number): Promise<void> {
    if (bytes >= LARGE_BODY_BYTES) await this.#turns.take(owner);
  }
}

/** Eight bodies of the largest size, 4 MiB. A slow sender holds a body for the whole request time-out. */
const BYTES_A_WORKSPACE_MAX = 32 * 1_048_576;
const BYTES_MAX = 128 * 1_048_576;

/** Bytes are bounded, not bodies: most are small, and hundreds may arrive at once. */
export const LARGE_BODIES: UploadsOptions = {
  aWorkspaceMax: Infinity,
  bytesAWorkspaceMax: BYTES_A_WORKSPACE_MAX,
  bytesMax: BYTES_MAX,
  refusal: () =>
    new ServiceError('SERVICE_UNAVAILABLE', {
      message:
        'Too many large requests are being read. Nothing was stored. Send this one again when another is answered.',
    }),
};
