/** When a message is tried again. The rules are in docs/messages.md, "Statuses": the back-off, Retry-After, and what ends it at once. */

import { retryAfterMs } from '../retry-after.ts';

export const DELAY_MS_MAX = 24 * 60 * 60 * 1_000;
const GROWTH = 2.5;
const JITTER = 0.2;
const MS_PER_SECOND = 1_000;
const LOST_AGAIN_MS = 1_000;
/** Gone, and QStash's "do not retry". */
const ENDING_STATUSES: readonly number[] = [410, 489];
const RETRY_AFTER_STATUSES: readonly number[] = [429, 503];

/** So many attempts that were lost with their worker are none of `maxRetries`. A message that kills its worker must end, too. */
export const LOST_ATTEMPTS_MAX = 3;

/** An attempt that did not deliver. */
export interface FailedAttempt {
  /** Attempts made, this one included. */
  attempts: number;
  /** How many of them were lost with their worker. */
  lost: number;
  /** This one was lost. */
  isLost: boolean;
  maxRetries: number;
  /** The delays of `retryDelay`, indexed by retry from 0; null for the default back-off. */
  retryDelaysMs: readonly number[] | null;
  /** Null where no response came. */
  responseStatus: number | null;
  retryAfter: string | null;
  /** The service may not call the destination at all. */
  blocked: boolean;
}

export function isDelivered(responseStatus: number): boolean {
  return responseStatus >= 200 && responseStatus <= 299;
}

/** min(24 h, e^(2.5 n) s) ±20 % before retry `n` (from 1). `random` is in [0, 1). */
export function backOffMs(n: number, random: number): number {
  const delayMs = Math.min(DELAY_MS_MAX, Math.exp(GROWTH * n) * MS_PER_SECOND);
  return Math.round(delayMs * (1 - JITTER + 2 * JITTER * random));
}

/** Milliseconds until the next attempt, or null where there is none. */
export function nextAttemptDelayMs(failed: FailedAttempt, nowMs: number, random: number): number | null {
  const { responseStatus, retryDelaysMs } = failed;
  // Nobody knows what a lost attempt saw, so it has no place in the retry schedule.
  if (failed.isLost && failed.lost <= LOST_ATTEMPTS_MAX) return LOST_AGAIN_MS;
  const attempts = failed.attempts - Math.min(failed.lost, LOST_ATTEMPTS_MAX);
  if (failed.blocked || attempts > failed.maxRetries) return null;
  if (responseStatus !== null && ENDING_STATUSES.includes(responseStatus)) return null;
  const plannedMs = retryDelaysMs?.[attempts - 1] ?? backOffMs(attempts, random);
  return Math.max(plannedMs, askedDelayMs(failed, nowMs));
}

/** How long the destination asks to be left alone: with Retry-After of a 429 or 503, up to 24 h. 0 where it does not. */
export function askedDelayMs(
  { responseStatus, retryAfter }: Pick<FailedAttempt, 'responseStatus' | 'retryAfter'>,
  nowMs: number,
): number {
  const asks = responseStatus !== null && RETRY_AFTER_STATUSES.includes(responseStatus);
  return asks && retryAfter !== null ? Math.min(DELAY_MS_MAX, Math.ceil(retryAfterMs(retryAfter, nowMs) ?? 0)) : 0;
}
