import { findUnfannedEvents } from '../../db/events/find-unfanned-events.ts';
import type { EventRef } from '../../domain/events/events.ts';
import { LOST_AFTER_SECONDS, type SweepArea } from './sweep-rows.ts';

/**
 * Starts the fan-out of events that were accepted a while ago: the process may have died between its commit and its start, or an
 * operator terminated the workflow. One that runs is left alone.
 */
export function unfannedEvents(olderThanSeconds = LOST_AFTER_SECONDS): SweepArea<EventRef, 'fanOutEvent'> {
  return {
    find: (deps, page) => findUnfannedEvents(deps.db, { olderThanSeconds, ...page }),
    idOf: (ref) => ref.eventId,
    mend: (deps, refs) => Promise.all(refs.map((ref) => deps.fanOutEvent(ref))),
    batchSize: 1,
  };
}
