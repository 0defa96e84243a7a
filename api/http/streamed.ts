import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { ServiceError } from '../../domain/errors.ts';
import type { Bytes } from '../../domain/files/file-store.ts';
import type { HttpContext } from './context.ts';
import type { StreamedBody } from './define-route.ts';
import { tooLarge } from './read-json-body.ts';

/** A reader that takes no byte for this long holds a file open for nothing. */
const STALLED_TIMEOUT_MS = 60_000;

/**
 * What can be said of a streamed body before its first byte.
 *
 * @throws {ServiceError} PAYLOAD_TOO_LARGE by its Content-Length, UNSUPPORTED_MEDIA_TYPE.
 */
export function checkStreamedBody(request: IncomingMessage, { mediaType }: StreamedBody, bytesMax: number): void {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const [sent = ''] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  if (mediaType !== null && sent.trim() !== mediaType) {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', { message: `Send the body as ${mediaType}.` });
  }
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', { message: 'Send the body without a Content-Encoding.' });
  }
}

/**
 * Sends bytes as they come. Where they end early, so does the connection: the client then sees fewer bytes than the Content-Length
 * promised, and never takes a part for the whole.
 */
export function sendStream(ctx: HttpContext, status: number, bytes: Bytes): void {
  const stream = bytes instanceof Readable ? bytes : Readable.from(bytes);
  stream.once('error', () => ctx.res.destroy());
  ctx.res.setTimeout(STALLED_TIMEOUT_MS, () => ctx.res.destroy());
  ctx.status = status;
  ctx.body = stream;
}
