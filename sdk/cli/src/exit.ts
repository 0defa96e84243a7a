/** The exit codes of every command: docs/cli.md. */
export const EXIT = {
  /** Done. */
  ok: 0,
  /** The service refused, or what was checked does not hold. */
  notOk: 1,
  /** The command line, a file or the sign-in is not right; nothing was asked. */
  usage: 2,
  /** It waits for somebody, or is still under way. */
  waiting: 3,
  /** It may have taken effect, and nobody knows: do not run it again. */
  unknown: 4,
  /** No reply came that says what became of it. */
  noReply: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ctrl-C during a request or a wait. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';

  constructor() {
    super('Interrupted.');
  }
}

/** The invocation may have been admitted; `idempotencyKey` finds out. */
export class UnansweredInvokeError extends Error {
  override readonly name = 'UnansweredInvokeError';
  readonly idempotencyKey: string;

  constructor(idempotencyKey: string, cause: unknown) {
    super('Nothing is known of the invocation.', { cause });
    this.idempotencyKey = idempotencyKey;
  }
}

/** The change may have been made; the command `shownBy` shows it. */
export class UnansweredChangeError extends Error {
  override readonly name = 'UnansweredChangeError';
  readonly shownBy: string;

  constructor(shownBy: string, cause: unknown) {
    super('Nothing is known of the change.', { cause });
    this.shownBy = shownBy;
  }
}

/** A mistake of the command's user. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
