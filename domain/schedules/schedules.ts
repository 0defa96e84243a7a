import type { MessageStatus } from '../messages/messages.ts';

/** Schedules: what the API, the workflow and the activities agree on. See docs/schedules.md. */

/** What a firing does while a message of an earlier one has not ended. */
export const OVERLAPS = ['skip', 'buffer_one', 'allow_all'] as const;
export type Overlap = (typeof OVERLAPS)[number];
export const OVERLAP_DEFAULT: Overlap = 'skip';

export const CATCH_UP_SECONDS_DEFAULT = 60;
/** Temporal's own least. */
export const CATCH_UP_SECONDS_MIN = 10;
export const CATCH_UP_SECONDS_MAX = 86_400;

export const SCHEDULES_PER_ENVIRONMENT_MAX = 10_000;
export const PREVIEW_TIMES = 10;
/** The newest runs of a schedule that are kept, and all of the last hour: a firing that is tried again finds its run. */
export const RUNS_KEPT = 1_000;
export const RUNS_KEPT_SECONDS = 3_600;
/** The missed slots that are recorded of one gap, the first ones. */
export const MISSED_SLOTS_MAX = 1_000;

/** A run that comes from the schedule, or from `POST /schedules/{id}/run`. */
export const RUN_TRIGGERS = ['schedule', 'manual'] as const;
export type RunTrigger = (typeof RUN_TRIGGERS)[number];

/** queued: by hand, soon published. waiting: for an earlier run's message. missed: not fired within the catch-up. */
export const RUN_OUTCOMES = ['queued', 'waiting', 'published', 'skipped', 'failed', 'missed'] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

export const MISSED_CODE = 'CATCH_UP_PASSED';

/** Why a run published nothing, or waits. */
export interface RunError {
  code: string;
  message: string;
}

export interface RunMessage {
  messageId: string;
  /** Null once the message is past the time that it is kept. */
  status: MessageStatus | null;
}

export interface TemporalPlan {
  cron: string;
  timezone: string;
  catchUpSeconds: number;
  paused: boolean;
  /** The first slot that Temporal may not have fired; null while it is paused. One that has passed is fired when Temporal is told. */
  dueAt: Date | null;
}

/** The oldest slot that is still fired now: the catch-up of the schedule reaches so far back. */
export function firedFrom({ catchUpSeconds }: Pick<TemporalPlan, 'catchUpSeconds'>, now: Date): Date {
  return new Date(now.getTime() - catchUpSeconds * 1_000);
}

const DAY_MS = 86_400_000;
/** The calendars that Temporal has hold for the offsets of the zone from the longest catch-up ago until so far ahead … */
export const CALENDARS_HOLD_MS = 14 * DAY_MS;
/** … and are made anew when half of it has passed, so that a change of a zone's rules arrives within a week. */
export const RENEW_AFTER_MS = CALENDARS_HOLD_MS / 2;

export interface ScheduleRef {
  scheduleId: string;
  workspaceId: string;
  environmentId: string;
}

/** One firing: the schedule and the time at which it was due, as RFC 3339. */
export interface FiringRef extends ScheduleRef {
  trigger: RunTrigger;
  nominalAt: string;
}

export interface Fired {
  /** `none`: nothing was due; the schedule is paused or deleted, or the time is none of its own. No run is recorded. */
  outcome: RunOutcome | 'none';
  /** The messages that it published. */
  messageIds: string[];
}
