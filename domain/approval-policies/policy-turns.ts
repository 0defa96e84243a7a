import { Turns } from '../turns.ts';

/** Turns for policy work by environment. A turn is some milliseconds, one condition or one evaluation: bounded. */
export const policyTurns = new Turns((run) => setImmediate(run));
