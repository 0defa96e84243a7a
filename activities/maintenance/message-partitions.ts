import { deleteOldDeadLetters } from '../../db/dead-letters/directory.ts';
import {
  deleteKeptMessages,
  dropOldMessagePartition,
  keepLiveMessages,
  makeMessagePartitions,
} from '../../db/messages/directory.ts';
import type { SweepStep } from './sweep-steps.ts';
import { dropUntilNone, untilNone } from './until-none.ts';

/** Makes the partitions of messages for later, and lets old ones go: docs/retention.md. Each step may run again after a crash anywhere. */
export const MESSAGE_PARTITION_STEPS: Readonly<Record<string, SweepStep>> = {
  make: ({ db }) => makeMessagePartitions(db),
  keep: ({ db }, budget) => untilNone(budget, () => keepLiveMessages(db)),
  drop: ({ db, logger }, budget) => dropUntilNone({ logger, budget }, 'messages', () => dropOldMessagePartition(db)),
  delete_kept: ({ db }, budget) => untilNone(budget, () => deleteKeptMessages(db)),
  delete_dead_letters: ({ db }, budget) => untilNone(budget, () => deleteOldDeadLetters(db)),
};
