import { ServiceError } from '../../domain/errors.ts';
import type { RouteReply, StreamedBody } from './define-route.ts';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Bytes } from '../../domain/files/file-store.ts';
import type { HttpContext } from './context.ts';
import { tooLarge } from './bodies.ts';
import { createHash } from 'node:crypto';

export interface ErrorBody {
  success: false;
  error: { code: string; message: string; details?: Record<string, unknown> };
  requestId: string;
}

/** The bytes of a successful reply: the envelope and nothing else. The form: docs/api.md, "Replies". */
export function successBody(reply: RouteReply<unknown>): string {
  const { data, beside, pagination } = reply;
  return JSON.stringify({ success: true, data, ...beside, ...(pagination === undefined ? {} : { pagination }) });
}

export function errorBody(error: ServiceError, requestId: string, message = error.publicMessage): ErrorBody {
  const { code, details } = error;
  return { success: false, error: details === undefined ? { code, message } : { code, message, details }, requestId };
}

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

const CHARACTERS = 22;

/** A strong entity tag of a content (RFC 9110, section 8.8.3). */
export function etagOf(content: string): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, CHARACTERS)}"`;
}

/**
 * Whether the reader's copy has the `ETag` of this successful reply (RFC 9110, section 13.1.2). Koa's own `ctx.fresh` says no wherever
 * the request has `Cache-Control: no-cache`, which `fetch` adds to every conditional request; that directive is for caches on the way.
 */
export function isNotModified(ctx: HttpContext): boolean {
  const etag = ctx.response.get('ETag');
  const known = ctx.get('If-None-Match');
  if (etag === '' || known === '' || ctx.method !== 'GET' || ctx.status !== 200) return false;
  return namesTag(known, (tag) => tag === etag);
}

/** Whether an `If-None-Match` names one of our tags. Weak and strong tags count alike. */
export function namesTag(ifNoneMatch: string, isOurs: (tag: string) => boolean): boolean {
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((one) => isOurs(one.trim().replace(/^W\//, '')));
}
