import { deleteDeletedTopics, deleteOldEvents } from '../../db/events/delete-old-events.ts';
import type { SweepDependencies, Swept } from './sweep-rows.ts';
import { untilNone } from './until-none.ts';

/** Deletes events that have had their time, and what belongs to deleted topics and subscriptions, in steps. */
export async function sweepOldEvents({ db }: SweepDependencies): Promise<Swept> {
  const seen = (await untilNone(() => deleteOldEvents(db))) + (await untilNone(() => deleteDeletedTopics(db)));
  return { seen, failed: 0 };
}
