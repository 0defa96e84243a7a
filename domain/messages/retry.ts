/** When a message is tried again. The rules are in docs/messages.md, "Statuses": the back-off, Retry-After, and what ends it at once. */

export const DELAY_MS_MAX = 24 * 60 * 60 * 1_000;
const GROWTH = 2.5;
const JITTER = 0.2;
const MS_PER_SECOND = 1_000;
/** Gone, and QStash's "do not retry". */
const ENDING_STATUSES: readonly number[] = [410, 489];
const RETRY_AFTER_STATUSES: readonly number[] = [429, 503];

/** An attempt that did not deliver. */
export interface FailedAttempt {
  /** Attempts made, this one included. */
  attempts: number;
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
  const { attempts, responseStatus, retryDelaysMs } = failed;
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
  return asks && retryAfter !== null ? retryAfterMs(retryAfter, nowMs) : 0;
}

/** Retry-After in seconds or as an HTTP date (RFC 9110, 10.2.3), up to 24 h; 0 for what is neither. */
export function retryAfterMs(value: string, nowMs: number): number {
  const text = value.trim();
  const waitMs = /^\d{1,15}$/.test(text) ? Number(text) * MS_PER_SECOND : httpDateMs(text) - nowMs;
  return Number.isFinite(waitMs) ? Math.min(DELAY_MS_MAX, Math.max(0, waitMs)) : 0;
}

/** Accepts only the form of an HTTP date: Date.parse accepts far more. */
function httpDateMs(text: string): number {
  return /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
}
