import { deleteOldDeadLetters } from '../../db/dead-letters/directory.ts';
import { deleteOldMessages } from '../../db/messages/directory.ts';
import type { SweepStep } from './sweep-steps.ts';
import { untilNone } from './until-none.ts';

/** Lets messages and dead letters go that have had their time: docs/retention.md. Each step may run again after a crash anywhere. */
export const OLD_MESSAGE_STEPS: Readonly<Record<string, SweepStep>> = {
  delete: ({ db }, budget) => untilNone(budget, () => deleteOldMessages(db)),
  delete_dead_letters: ({ db }, budget) => untilNone(budget, () => deleteOldDeadLetters(db)),
};
