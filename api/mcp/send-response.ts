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
 * Sends the package's response. Writes event streams itself, not through Koa, so that the request ends, also for the log, with its last
 * event.
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

/** A stream may be quiet while its work runs, so only an unread event ends it: the server's own limit starts at the end of a reply. */
async function sendEvents(ctx: HttpContext, body: ReadableStream<Uint8Array>, unreadTimeoutMs: number): Promise<void> {
  const { res } = ctx;
  const gone = clientGoneSignal(ctx);
  try {
    // Leaving the loop and the end of the connection both cancel the body.
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

/** @throws {RequestAbortedError} when the client leaves, or is cut off for not reading in time. */
async function untilRead(res: HttpContext['res'], gone: AbortSignal, timeoutMs: number): Promise<void> {
  using deadline = new Deadline(timeoutMs, gone);
  try {
    await once(res, 'drain', { signal: deadline.signal });
  } catch (error) {
    if (!deadline.signal.aborted) throw error;
    throw new RequestAbortedError();
  }
}
