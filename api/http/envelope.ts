import type { ServiceError } from '../../domain/errors.ts';
import type { RouteReply } from './define-route.ts';

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
