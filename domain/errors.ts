import { cutText } from './cut-text.ts';
import type { TouchedIds } from './touched-ids.ts';
import type { Scope } from './scopes.ts';

/** The message is the public default: what the caller can do. docs/reference/errors.md is generated from it. */
export const ERROR_TABLE = {
  AUTHENTICATION_ERROR: {
    status: 401,
    message: 'Authentication failed. Send a valid API key as "Authorization: Bearer <API_KEY>".',
  },
  AUTHORIZATION_ERROR: { status: 403, message: 'This credential may not do that.' },
  RATE_LIMIT_EXCEEDED: { status: 429, message: 'Too many requests. Wait until the next minute.' },
  QUOTA_EXCEEDED: { status: 429, message: 'A monthly allowance or resource cap of the plan is reached.' },
  BUDGET_EXCEEDED: { status: 429, message: 'The monthly budget of this API key is reached.' },
  BUDGET_RECONCILIATION_REQUIRED: {
    status: 503,
    message: 'The usage of this API key is unknown; an operator must reconcile its budget.',
  },
  BUDGET_EFFECT_ALREADY_RESERVED: {
    status: 409,
    message:
      'This request was admitted before and its recorded reply is gone. Read the invocation instead of running it again.',
  },
  VALIDATION_ERROR: { status: 400, message: 'The request is not valid. See details.issues.' },
  FEATURE_NOT_AVAILABLE: { status: 403, message: 'The plan of this workspace does not include this capability.' },
  EXPENSIVE_WORK_PAUSED: {
    status: 503,
    message: 'New expensive work is paused for all workspaces. Reading and deleting still work.',
  },
  NOT_FOUND: { status: 404, message: 'No such resource where this credential can see it.' },
  PREVIEW_MISMATCH: { status: 409, message: 'The request differs from the preview. Make a new preview.' },
  PREVIEW_EXPIRED: { status: 409, message: 'The preview has expired. Make a new preview.' },
  PREVIEW_ALREADY_USED: { status: 409, message: 'The preview was used already. Make a new preview.' },
  OPERATION_KEY_REUSE: {
    status: 409,
    message:
      'This operation key belongs to another request. Use a new key for a new operation; see details.invocationId for the old one.',
  },
  idempotency_key_reuse: {
    status: 409,
    message: 'This Idempotency-Key was used for a different request. Use a new key.',
  },
  idempotency_request_in_progress: {
    status: 409,
    message: 'A request with this Idempotency-Key is still in progress. Send it again later with the same key.',
  },
  EFFECT_RESOLUTION_REQUIRED: {
    status: 409,
    message: 'An effect governs this invocation. Resolve the effect instead; its id is in details.effectId.',
  },
  USER_IDENTITY_REQUIRED: { status: 403, message: 'This operation needs a signed-in user; an API key has none.' },
  SECOND_FACTOR_REQUIRED: {
    status: 403,
    message: 'Confirm with your passkey, then send this again. See details.step.',
  }, // (ours/decisions)
  PAID_PLANS_UNAVAILABLE: { status: 403, message: 'Paid plans are not open yet.' },
  HTTPS_REQUIRED: { status: 403, message: 'Use HTTPS.' },
  PLAN_STALE: {
    status: 409,
    message:
      'The approval policies changed after this plan was made. Nothing was changed. Make a new plan from the files, look at it, and apply that one.',
  }, // (ours/decisions)
  CONFLICT: { status: 409, message: 'The request conflicts with the present state of the resource.' }, // (ours)
  METHOD_NOT_ALLOWED: { status: 405, message: 'This path does not answer that method. See details.allowed.' }, // (ours)
  NOT_ACCEPTABLE: { status: 406, message: 'This service answers application/json.' }, // (ours)
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The request body is too large.' }, // (ours)
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Send the body as application/json.' }, // (ours)
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    message: 'The file ends before this range begins. Its size is in details.size.',
  }, // (ours)
  INTERNAL_ERROR: { status: 500, message: 'Something went wrong on our side. Quote the requestId when you report it.' }, // (ours)
  SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'The service cannot take this request now. Send it again with the same Idempotency-Key.',
  }, // (ours)
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERROR_TABLE;

/** QUOTA_EXCEEDED has this status on some routes, which declare it: 402 Payment Required. */
export const QUOTA_STATUS_PAYMENT = 402;

export function statusesOf(code: ErrorCode): readonly number[] {
  const { status } = ERROR_TABLE[code];
  return code === 'QUOTA_EXCEEDED' ? [status, QUOTA_STATUS_PAYMENT] : [status];
}

export function statusOf(code: ErrorCode, route?: { quotaStatus?: number | undefined }): number {
  return (code === 'QUOTA_EXCEEDED' ? route?.quotaStatus : undefined) ?? ERROR_TABLE[code].status;
}

export interface Issue {
  /** Dotted path into the request, for example `body.adapter.config.url`. */
  path: string;
  message: string;
}

/** What a 404 is about, for the machinery to word it for its caller. */
export interface Missing {
  what: string;
  /** Names that may have been meant, and the scope under which a key may know them. */
  near?: { names: readonly string[]; scope: Scope };
  /** `that is an effect's id`: the request named another kind of thing. */
  otherKind?: string;
  /** Where it is now, of what was there: the message. */
  archived?: string;
}

export interface ServiceErrorOptions {
  /** What the caller reads; the table's message when left out. Never holds a secret or a stack trace. */
  message?: string;
  /** What only the log reads. */
  log?: string;
  details?: Record<string, unknown>;
  missing?: Missing;
  lackedScope?: Scope;
  /** When the same request is worth sending again: the header `Retry-After`. */
  retryAfterSeconds?: number;
  touched?: TouchedIds;
  cause?: unknown;
}

/** An error that a caller may see. Everything else becomes INTERNAL_ERROR. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly publicMessage: string;
  readonly details: Record<string, unknown> | undefined;
  readonly missing: Missing | undefined;
  readonly lackedScope: Scope | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly touched: TouchedIds | undefined;

  constructor(code: ErrorCode, options: ServiceErrorOptions = {}) {
    const publicMessage = options.message ?? ERROR_TABLE[code].message;
    super(options.log ?? publicMessage, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.publicMessage = publicMessage;
    this.details = options.details;
    this.missing = options.missing;
    this.lackedScope = options.lackedScope;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.touched = options.touched;
  }

  get status(): number {
    return ERROR_TABLE[this.code].status;
  }
}

/** A body of 1 MiB can hold a hundred thousand mistakes, and a reply must not outgrow its request. */
const ISSUES_SHOWN_MAX = 100;
const ISSUE_PATH_CHARACTERS_MAX = 500;
const ISSUE_MESSAGE_CHARACTERS_MAX = 1_000;
const MESSAGE_CHARACTERS_MAX = 500;

export function validationError(found: Issue[], message?: string): ServiceError {
  const issues = found.slice(0, ISSUES_SHOWN_MAX).map(shortFinding);
  return new ServiceError('VALIDATION_ERROR', {
    message:
      message ??
      `The request is not valid: ${issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ')}`.slice(
        0,
        MESSAGE_CHARACTERS_MAX,
      ),
    details: { issues },
  });
}

/** With a path and a message of a length that somebody reads. */
export function shortFinding<Finding extends Issue>(finding: Finding): Finding {
  const { path, message } = finding;
  return {
    ...finding,
    path: cutText(path, ISSUE_PATH_CHARACTERS_MAX),
    message: cutText(message, ISSUE_MESSAGE_CHARACTERS_MAX),
  };
}

export function notFound(what: string, near?: Missing['near']): ServiceError {
  const missing = near === undefined ? { what } : { what, near };
  return new ServiceError('NOT_FOUND', { message: `No such ${what} in this workspace and environment.`, missing });
}

/** The record where there is one. @throws {ServiceError} NOT_FOUND. */
export function existing<Record>(record: Record | null, what: string): Record {
  if (record === null) throw notFound(what);
  return record;
}
