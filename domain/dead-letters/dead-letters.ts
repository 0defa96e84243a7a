/** Why a message is in the dead-letter queue: docs/dead-letters.md, "Why". */
export const DEAD_LETTER_REASONS = ['retries_exhausted', 'gone', 'not_retryable', 'destination_blocked'] as const;
export type DeadLetterReason = (typeof DEAD_LETTER_REASONS)[number];

const GONE = 410;
/** QStash's "do not retry". */
const NOT_RETRYABLE = 489;

/** The reason of an attempt after which nothing more is tried. */
export function deadLetterReason(last: { blocked: boolean; responseStatus: number | null }): DeadLetterReason {
  if (last.blocked) return 'destination_blocked';
  if (last.responseStatus === GONE) return 'gone';
  return last.responseStatus === NOT_RETRYABLE ? 'not_retryable' : 'retries_exhausted';
}

/** Which dead letters: every member that is given must hold. */
export interface DeadLetterFilter {
  /** The destination, exactly. */
  url?: string | undefined;
  /** The id of a URL group, or the name of one that is not deleted. */
  urlGroup?: string | undefined;
  scheduleId?: string | undefined;
  responseStatus?: number | undefined;
  label?: string | undefined;
  reason?: DeadLetterReason | undefined;
  /** Failed after: RFC 3339, in UTC, from 1970 on. */
  startDate?: string | undefined;
  /** Failed before. */
  endDate?: string | undefined;
}

export const DEAD_LETTER_JOB_KINDS = ['retry', 'clear'] as const;
export type DeadLetterJobKind = (typeof DEAD_LETTER_JOB_KINDS)[number];
/** `recover`: what failed for one subscription (docs/events.md, "Test, log, recover"). Its records are deliveries, and no dead letters. */
export const JOB_KINDS = [...DEAD_LETTER_JOB_KINDS, 'recover'] as const;
export type JobKind = (typeof JOB_KINDS)[number];
export const JOB_STATUSES = ['running', 'paused', 'completed', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];
/** More of an environment at once would only take turns. Recoveries are counted apart. */
export const JOBS_AT_ONCE_MAX = 10;
export const ENDED_JOBS_KEPT_DAYS = 30;

/** A page of a retry, or of a recovery: one transaction, and as many workflows to start. */
export const RETRY_PAGE_SIZE = 200;
/** Its messages are held in memory together. */
export const RETRY_PAGE_BYTES_MAX = 8 * 1024 * 1024;
/** The next page begins once at most this many messages of the last one wait for their first attempt. */
export const RETRY_WAITING_MAX = 100;
export const CLEAR_PAGE_SIZE = 2_000;

export type JobStep =
  | { next: 'go on' }
  /** Nothing can be done now; `why` is shown in the Temporal UI. */
  | { next: 'wait'; why: 'deliveries' | 'halted' }
  | { next: 'end'; status: JobStatus };

export interface DeadLetterJobRef {
  jobId: string;
  kind: JobKind;
  workspaceId: string;
  environmentId: string;
}
