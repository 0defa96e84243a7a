/** Flow control: what the API, the activities and the pacer agree on. See docs/flow-control.md. */

export const KEY_CHARACTERS_MAX = 200;
export const RATE_MAX = 1_000_000;
export const PERIOD_SECONDS_DEFAULT = 1;
export const PERIOD_SECONDS_MAX = 7 * 24 * 60 * 60;
/** The most calls of one key in flight. A key without `parallelism` has this one, so that its open workflows are bounded. */
export const PARALLELISM_MAX = 1_000;

/** Keys of one environment. */
export const KEYS_PER_ENVIRONMENT_MAX = 10_000;
/** A key without limits, messages and anything an operator set makes room after so long. */
export const IDLE_KEY_SECONDS = 24 * 60 * 60;

/** A granted message that nobody takes up for so long returns to its place in the queue. */
export const SLOT_LEASE_MS = 120_000;
/** The slot of a message that waits for a permit of its workspace. The sweep has it look again before the end, and keep the slot. */
export const PERMIT_WAIT_LEASE_MS = 600_000;
/**
 * The granting process starts the workflows one by one. A pacer has time for that; a request or a finished delivery hands over to the
 * pacer.
 */
export const GRANTS_AT_ONCE = { finish: 10, pacer: 100 } as const;

/** The limits that a message brings, or that an operator sets. What is left out stays as it is; null is no limit. */
export interface Limits {
  /** Calls of one window. It comes with its period. */
  rate?: { rate: number; periodSeconds: number } | null | undefined;
  /** Calls in flight at once. */
  parallelism?: number | null | undefined;
}

/** Where a key's rows are found. */
export interface FlowControlKeyRef {
  keyId: string;
  workspaceId: string;
  environmentId: string;
}

/** The result of one grant. After the commit its messages are started and, where `paces`, the pacer of its key. */
export interface Grant {
  keyId: string;
  messageIds: string[];
  /** Nobody looks by the time when more may be granted. */
  paces: boolean;
  /** Until that time. Null when only a finish, a resumption or a new message can change something. */
  nextInMs: number | null;
}

/** The members of a request, as limits. `periodSeconds` goes with `rate`. */
export function limitsOf(asked: {
  rate?: number | null | undefined;
  periodSeconds?: number | null | undefined;
  parallelism?: number | null | undefined;
}): Limits {
  const { rate, periodSeconds, parallelism } = asked;
  if (rate === undefined) return { parallelism };
  if (rate === null) return { rate: null, parallelism };
  return { rate: { rate, periodSeconds: periodSeconds ?? PERIOD_SECONDS_DEFAULT }, parallelism };
}
