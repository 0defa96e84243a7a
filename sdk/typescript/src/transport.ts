import { ApiError } from './api-error.ts';
import { ConnectionError, UnexpectedReplyError } from './errors.ts';
import { errorOf } from './replies.ts';

export interface TransportOptions {
  fetch: typeof globalThis.fetch;
  /** How long one try of a request to this address may take, its body included. */
  timeoutMs(url: string): number;
  /** Ends early where the signal aborts. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

export const KEY_HEADER = 'Idempotency-Key';
const TRIES_MAX = 3;
const PAUSE_MS = 250;
/** Beyond it the caller decides whether to wait. */
const RETRY_AFTER_SECONDS_MAX = 10;
/** A proxy's way to say that it got no answer. */
const GATEWAY_STATUSES = new Set([502, 503, 504]);

/**
 * A `fetch` that tries again where that cannot do anything twice, and throws what is no success: sdk/README.md, "What every SDK does".
 * The body is read within the try, because a connection can break in the middle of it. `isRaw`: the caller reads the body itself, a file
 * for instance.
 */
export function tryingFetch(
  options: TransportOptions,
  isRaw: (request: Request) => boolean,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const key = request.headers.get(KEY_HEADER);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const bytes = isRead ? null : await request.arrayBuffer();
    const body = bytes === null || bytes.byteLength === 0 ? undefined : bytes;
    for (let tries = 1; ; tries++) {
      const outcome = await oneTry(options, request, body, isRaw(request));
      if (outcome instanceof Response) return outcome;
      const mayRepeat = tries < TRIES_MAX && isRepeatable(outcome, { isRead, isKeyed: key !== null });
      if (!mayRepeat) throw outcome;
      await options.pause(pauseMs(tries, outcome), request.signal);
      request.signal.throwIfAborted();
    }
  };
}

/**
 * The request of a body that the caller reads itself. The caller's signal ends it through the request's, and Node drops both as garbage
 * where nothing else refers to the request, although its body is still being read.
 */
const requestOf = new WeakMap<ReadableStream, Request>();

type Failure = ApiError | UnexpectedReplyError | ConnectionError;

async function oneTry(
  { fetch, timeoutMs: timeoutOf }: TransportOptions,
  request: Request,
  body: ArrayBuffer | undefined,
  isRaw: boolean,
): Promise<Response | Failure> {
  const { url, method, headers, signal } = request;
  const key = headers.get(KEY_HEADER);
  const timeoutMs = timeoutOf(url);
  signal.throwIfAborted();
  // A controller and a timer that is cleared: Node 20 can lose the time-outs of AbortSignal (nodejs/node#57736).
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  signal.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(abort, timeoutMs);
  let isHandedOn = false;
  try {
    const init = {
      method,
      headers,
      redirect: 'manual',
      signal: controller.signal,
      ...(body === undefined ? {} : { body }),
    } as const;
    const response = await fetch(url, init);
    if (isRaw && response.ok) {
      isHandedOn = true;
      if (response.body !== null) requestOf.set(response.body, request);
      return response;
    }
    const reply = {
      status: response.status,
      text: await response.text(),
      retryAfter: response.headers.get('Retry-After'),
    };
    return errorOf(reply, key) ?? new Response(reply.text, { status: reply.status, headers: response.headers });
  } catch (error) {
    signal.throwIfAborted();
    const why = controller.signal.aborted ? `none came within ${timeoutMs} ms` : reasonOf(error);
    const next =
      key === null ? '' : ` Whether the request arrived is not known: ask again with the Idempotency-Key ${key}.`;
    return new ConnectionError(`No reply from ${new URL(url).origin}: ${why}.${next}`, {
      idempotencyKey: key,
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    if (!isHandedOn) signal.removeEventListener('abort', abort);
  }
}

/** Whether the same request may be sent again: a read always, a change only under its key. */
function isRepeatable(failure: Failure, { isRead, isKeyed }: { isRead: boolean; isKeyed: boolean }): boolean {
  if (!isRead && !isKeyed) return false;
  if (failure instanceof ConnectionError) return true;
  if (failure instanceof UnexpectedReplyError) return GATEWAY_STATUSES.has(failure.status);
  if (failure.code === 'idempotency_request_in_progress') return isKeyed;
  return failure.code === 'SERVICE_UNAVAILABLE' && (failure.retryAfterSeconds ?? 0) <= RETRY_AFTER_SECONDS_MAX;
}

/** Twice as long after each try, and not the same for all clients. */
function pauseMs(tries: number, failure: Failure): number {
  const asked = failure instanceof ApiError ? (failure.retryAfterSeconds ?? 0) * 1_000 : 0;
  return Math.max(asked, PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random()));
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed';
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}
