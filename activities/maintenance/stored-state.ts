import { foldStoredState } from '../../db/plans/directory.ts';
import type { SweepStep } from './sweep-steps.ts';
import { untilNone } from './until-none.ts';

/** Sums up the counts of what workspaces store: each write leaves a row. */
export const STORED_STATE_STEPS: Readonly<Record<string, SweepStep>> = {
  fold: ({ db }, budget) => untilNone(budget, () => foldStoredState(db)),
};
