import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { CLIENT_GONE_STATUS, isClientGone, RequestAbortedError } from '../http/client-gone.ts';
import type { HttpContext } from '../http/context.ts';

const EVENT_STREAM = 'text/event-stream';

/**
 * Sends what the package answered. A stream of events is written here and not by Koa, so that the request ends, for the log too, when its
 * last event was sent.
 */
export async function sendResponse(ctx: HttpContext, response: Response): Promise<void> {
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
  try {
    await pipeline(Readable.fromWeb(response.body as ReadableStream<Uint8Array>), ctx.res);
  } catch (error) {
    if (isClientGone(ctx)) throw new RequestAbortedError();
    throw error;
  }
}
