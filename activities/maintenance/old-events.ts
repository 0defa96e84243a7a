import { deleteDeletedTopics, deleteOldEvents } from '../../db/events/directory.ts';
import type { SweepStep } from './sweep-steps.ts';
import { untilNone } from './until-none.ts';

/** Deletes events that have had their time, and what belongs to deleted topics and subscriptions. */
export const OLD_EVENT_STEPS: Readonly<Record<string, SweepStep>> = {
  delete_old: ({ db }, budget) => untilNone(budget, () => deleteOldEvents(db)),
  delete_of_deleted_topics: ({ db }, budget) => untilNone(budget, () => deleteDeletedTopics(db)),
};
