import { findUntoldSchedules } from '../../db/schedules/find-untold-schedules.ts';
import type { ScheduleRef } from '../../domain/schedules/schedules.ts';
import { tellSchedule } from '../schedules/tell-schedule.ts';
import { LOST_AFTER_SECONDS, type SweepArea } from './sweep-rows.ts';

/** A slot that came so long ago without a firing: the Temporal Schedule may be gone. */
const OVERDUE_SECONDS = 120;

/**
 * Tells Temporal about schedules that it does not know as their rows say: the API process may have died before it could, Temporal may
 * have been away, an operator may have deleted the Temporal Schedule, or its calendars run out. Every change passes here once, so two
 * requests that told Temporal in the wrong order do no harm.
 */
export function untoldSchedules(
  olderThanSeconds = LOST_AFTER_SECONDS,
): SweepArea<ScheduleRef, 'putSchedule' | 'forgetSchedule'> {
  return {
    find: (deps, page) =>
      findUntoldSchedules(deps.db, { olderThanSeconds, overdueBySeconds: OVERDUE_SECONDS, ...page }),
    idOf: (ref) => ref.scheduleId,
    mend: (deps, refs) => Promise.all(refs.map((ref) => tellSchedule(deps, ref))),
    batchSize: 1,
  };
}
