import { once } from 'node:events';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { Deadline } from '../../domain/deadline.ts';
import { CLIENT_GONE_STATUS, clientGoneSignal, isClientGone, RequestAbortedError } from '../http/client-gone.ts';
import type { HttpContext } from '../http/context.ts';
import { UNREAD_REPLY_TIMEOUT_MS } from '../http/http-server.ts';

const EVENT_STREAM = 'text/event-stream';

/**
 * Sends what the package answered. A stream of events is written here and not by Koa, so that the request ends, for the log too, when its
 * last event was sent.
 */
export async function sendResponse(
  ctx: HttpContext,
  response: Response,
  unreadTimeoutMs = UNREAD_REPLY_TIMEOUT_MS,
): Promise<void> {
  if (response.status === CLIENT_GONE_STATUS || isClientGone(ctx)) {
    await response.body?.cancel();
    throw new RequestAbortedError();
  }
  ctx.status = response.status;
  for (const [name, value] of response.headers) ctx.set(name, value);
  if (response.body === null) {
    ctx.body = '';
    ctx.remove('Content-Type');
    return;
  }
  if (response.headers.get('content-type')?.startsWith(EVENT_STREAM) !== true) {
    ctx.body = await response.text();
    return;
  }
  ctx.respond = false;
  ctx.res.flushHeaders();
  await sendEvents(ctx, response.body as ReadableStream<Uint8Array>, unreadTimeoutMs);
}

/**
 * Writes each event as it comes. A stream may be quiet for as long as its work takes, so only an event that the client does not read ends
 * it: the server's own limit begins with the end of a reply, which such a stream never reaches.
 */
async function sendEvents(ctx: HttpContext, body: ReadableStream<Uint8Array>, unreadTimeoutMs: number): Promise<void> {
  const { res } = ctx;
  const gone = clientGoneSignal(ctx);
  try {
    // To leave the loop, and the end of the connection, cancel the body.
    for await (const event of Readable.fromWeb(body, { signal: gone })) {
      if (gone.aborted) throw new RequestAbortedError();
      if (!res.write(event)) await untilRead(res, gone, unreadTimeoutMs);
    }
    res.end();
    await finished(res);
  } catch (error) {
    const isGone = isClientGone(ctx);
    res.destroy();
    if (isGone) throw new RequestAbortedError();
    throw error;
  }
}

/** @throws {RequestAbortedError} for a client that leaves, or that has not read what was written by the time-out: that one is cut off. */
async function untilRead(res: HttpContext['res'], gone: AbortSignal, timeoutMs: number): Promise<void> {
  using deadline = new Deadline(timeoutMs, gone);
  try {
    await once(res, 'drain', { signal: deadline.signal });
  } catch (error) {
    if (!deadline.signal.aborted) throw error;
    throw new RequestAbortedError();
  }
}
