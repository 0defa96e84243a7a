import {
  deleteRunsOutsideOfRanges,
  dropOldRunPartition,
  forgetStoredWeeks,
  makeRunPartitions,
} from '../../db/runs/directory.ts';
import type { SweepStep } from './sweep-steps.ts';
import { dropUntilNone, untilNone } from './until-none.ts';

/** Makes the partitions of runs for later, and lets old ones go: docs/retention.md. Each step may run again after a crash anywhere. */
export const RUN_PARTITION_STEPS: Readonly<Record<string, SweepStep>> = {
  make: ({ db }) => makeRunPartitions(db),
  drop: ({ db, logger }, budget) => dropUntilNone({ logger, budget }, 'runs', () => dropOldRunPartition(db)),
  forget_stored_weeks: ({ db }) => forgetStoredWeeks(db),
  delete_outside_of_ranges: ({ db }, budget) => untilNone(budget, () => deleteRunsOutsideOfRanges(db)),
};
