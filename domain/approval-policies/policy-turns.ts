import { Turns } from '../turns.ts';

/**
 * The turns of this process for reading, compiling and evaluating policies; each environment is an owner. A turn is a few
 * milliseconds, or one condition, or one evaluation; each of these is bounded.
 */
export const policyTurns = new Turns((run) => setImmediate(run));
