/** Flow control: what the API and the claims of messages agree on. See docs/flow-control.md. */

export const KEY_CHARACTERS_MAX = 200;
export const RATE_MAX = 1_000_000;
export const PERIOD_SECONDS_DEFAULT = 1;
export const PERIOD_SECONDS_MAX = 7 * 24 * 60 * 60;
/** The most calls of one key in flight. A key without `parallelism` has this one. */
export const PARALLELISM_MAX = 1_000;

/** Keys of one environment. */
export const KEYS_PER_ENVIRONMENT_MAX = 10_000;
/** A key without limits, messages and anything an operator set makes room after so long. */
export const IDLE_KEY_SECONDS = 24 * 60 * 60;

/** The limits that a message brings, or that an operator sets. What is left out stays as it is; null is no limit. */
export interface Limits {
  /** Calls of one window. It comes with its period. */
  rate?: { rate: number; periodSeconds: number } | null | undefined;
  /** Calls in flight at once. */
  parallelism?: number | null | undefined;
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
