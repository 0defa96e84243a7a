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
export function checkStreamedBody(request: IncomingMessage, body: StreamedBody, bytesMax: number): void {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const [sent = ''] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const taken = body.mediaType === null ? [] : [body.mediaType].flat();
  if (taken.length > 0 && !taken.includes(sent.trim())) {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', { message: `Send the body as ${taken.join(' or ')}.` });
  }
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
  const { contentEncodings = [] } = body;
  if (encoding !== 'identity' && !contentEncodings.includes(encoding)) {
    const how =
      contentEncodings.length === 0 ? 'without a Content-Encoding' : `plain or with ${contentEncodings.join(', ')}`;
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', { message: `Send the body ${how}.` });
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
