/** What every error of this SDK has. */
export class SdkError extends Error {
  override readonly name: string = 'SdkError';
  /** The key of a change that may have arrived: to ask again what became of it. Null where the request had none. */
  readonly idempotencyKey: string | null;

  constructor(message: string, options: { idempotencyKey?: string | null; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.idempotencyKey = options.idempotencyKey ?? null;
  }
}

export interface ApiErrorFacts {
  code: string;
  message: string;
  status: number;
  requestId: string | null;
  details: Record<string, unknown> | null;
  retryAfterSeconds: number | null;
  idempotencyKey?: string | null;
}

/** The service refused the request. Compare `code`, or the class; never the message. */
export class ApiError extends SdkError {
  override readonly name: string = 'ApiError';
  readonly code: string;
  readonly status: number;
  /** Quote it in a report. */
  readonly requestId: string | null;
  readonly details: Record<string, unknown> | null;
  /** What `Retry-After` asked for. */
  readonly retryAfterSeconds: number | null;

  constructor(facts: ApiErrorFacts) {
    super(facts.message, { idempotencyKey: facts.idempotencyKey ?? null });
    this.code = facts.code;
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.details = facts.details;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }
}
