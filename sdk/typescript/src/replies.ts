import { ApiError } from './api-error.ts';
import { UnexpectedReplyError } from './errors.ts';
import { ERROR_CLASSES } from './generated/errors.ts';

/** A reply whose body has been read. */
export interface WireReply {
  status: number;
  text: string;
  retryAfter: string | null;
}

type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The error that a reply is, or null for success in the form of this API. */
export function errorOf(reply: WireReply, idempotencyKey: string | null): ApiError | UnexpectedReplyError | null {
  const { status } = reply;
  const envelope = parsed(reply.text);
  if (status >= 200 && status < 300) {
    if (envelope?.['success'] === true && 'data' in envelope) return null;
    return new UnexpectedReplyError(status, `The reply (${status}) is not of this API.`, idempotencyKey);
  }
  const error = envelope?.['success'] === false ? envelope['error'] : undefined;
  if (!isObject(error) || typeof error['code'] !== 'string' || typeof error['message'] !== 'string') {
    const why = status >= 300 && status < 400 ? 'is a redirect, which is not followed' : 'is not of this API';
    return new UnexpectedReplyError(status, `The reply (${status}) ${why}.`, idempotencyKey);
  }
  const { code, message, details } = error;
  const requestId = envelope?.['requestId'];
  const Known = Object.hasOwn(ERROR_CLASSES, code) ? ERROR_CLASSES[code] : undefined;
  return new (Known ?? ApiError)({
    code,
    message,
    status,
    requestId: typeof requestId === 'string' ? requestId : null,
    details: isObject(details) ? details : null,
    retryAfterSeconds: secondsOf(reply.retryAfter),
    idempotencyKey,
  });
}

export function secondsOf(retryAfter: string | null): number | null {
  return retryAfter !== null && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : null;
}

function parsed(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null; // what is no JSON is not of this API either
  }
}
