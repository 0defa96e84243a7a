import type { ServerResponse } from 'node:http';

interface Answered {
  res: ServerResponse;
}

/** The caller disconnected before its request was complete or answered: no reply can be sent. */
export class RequestAbortedError extends Error {}

/** The status that the access log has for such a request, as nginx's does. No reply ever carries it. */
export const CLIENT_GONE_STATUS = 499;

/** Whether the connection ended before the whole reply was handed to it. */
export function isClientGone({ res }: Answered): boolean {
  return res.destroyed && !res.writableFinished;
}

/** Aborted when the caller leaves, so that nothing is held for it any longer. Work that was begun is not stopped by it. */
export function clientGoneSignal(request: Answered): AbortSignal {
  const gone = new AbortController();
  if (isClientGone(request)) gone.abort();
  // Not after a reply, which is every request: the error of an abort takes a stack trace.
  else
    request.res.once('close', () => {
      if (isClientGone(request)) gone.abort();
    });
  return gone.signal;
}

/** Aborts `controller` with `signal`. Call the returned function once the wait is over, because the signal outlives it. */
export function abortWith(signal: AbortSignal, controller: AbortController): () => void {
  const abort = (): void => controller.abort();
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
