import { SdkError } from './api-error.ts';
import type { schemas } from './generated/api.ts';

/** No reply came. A change may have arrived or not; `idempotencyKey` is the way to find out. */
export class ConnectionError extends SdkError {
  override readonly name = 'ConnectionError';
}

/** Something replied that is not this API: a proxy, another service, a redirect. */
export class UnexpectedReplyError extends SdkError {
  override readonly name = 'UnexpectedReplyError';
  readonly status: number;

  constructor(status: number, message: string, idempotencyKey: string | null = null) {
    super(message, { idempotencyKey });
    this.status = status;
  }
}

/** The invocation was admitted, and then reading it failed: `cause` says how. It goes on by itself; read it by its id. */
export class WaitInterruptedError extends SdkError {
  override readonly name = 'WaitInterruptedError';
  /** As it was read last. */
  readonly invocation: schemas['Invocation'];

  constructor(invocation: schemas['Invocation'], cause: unknown) {
    super(`Invocation ${invocation.id} was ${invocation.status} when reading it failed. It goes on by itself.`, {
      cause,
    });
    this.invocation = invocation;
  }
}

/** The credential does not hold what the program needs, or holds what it must not. */
export class MissingScopesError extends SdkError {
  override readonly name = 'MissingScopesError';
  readonly missing: readonly string[];
  readonly forbidden: readonly string[];
  /** The identity could not be read, so that nothing is known: everything that is required counts as missing. */
  readonly malformed: boolean;

  constructor(facts: {
    missing: readonly string[];
    forbidden: readonly string[];
    malformed?: boolean;
    cause?: unknown;
  }) {
    const { missing, forbidden, malformed = false } = facts;
    super(
      [
        malformed ? 'The reply about this credential is malformed.' : 'This credential does not fit.',
        ...(missing.length === 0 ? [] : [`Missing: ${missing.join(', ')}.`]),
        ...(forbidden.length === 0 ? [] : [`Forbidden: ${forbidden.join(', ')}.`]),
        'Scopes of a key never change: create another one.',
      ].join(' '),
      { cause: facts.cause },
    );
    this.missing = missing;
    this.forbidden = forbidden;
    this.malformed = malformed;
  }
}

export type DeliveryFault =
  | 'invalid_secret'
  | 'missing_header'
  | 'invalid_timestamp'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'v1_missing'
  | 'v1_mismatch'
  | 'v2_missing'
  | 'v2_mismatch';

/** The delivery is not what the service sent for this environment, or too old: do not act on it, answer 401. */
export class DeliveryVerificationError extends SdkError {
  override readonly name = 'DeliveryVerificationError';
  readonly reason: DeliveryFault;

  constructor(reason: DeliveryFault, message: string) {
    super(message);
    this.reason = reason;
  }
}
