import type { ServerResponse } from 'node:http';

interface Answered {
  res: ServerResponse;
}

/** The caller disconnected before its request was complete or answered: no reply can be sent. */
export class RequestAbortedError extends Error {}

/** The access log's status for such a request, as in nginx. No reply carries it. */
export const CLIENT_GONE_STATUS = 499;

export function isClientGone({ res }: Answered): boolean {
  return res.destroyed && !res.writableFinished;
}

/** Aborted when the caller disconnects. Work that has begun is not stopped. */
export function clientGoneSignal(request: Answered): AbortSignal {
  const gone = new AbortController();
  if (isClientGone(request)) gone.abort();
  // Not after a reply, which is every request: an abort's error captures a stack trace.
  else
    request.res.once('close', () => {
      if (isClientGone(request)) gone.abort();
    });
  return gone.signal;
}

/** Aborts `controller` with `signal`. Call the returned function after the wait: the signal outlives it. */
export function abortWith(signal: AbortSignal, controller: AbortController): () => void {
  const abort = (): void => controller.abort();
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
