import { Turns } from '../turns.ts';

/**
 * Of this process, for reading, compiling and evaluating policies; owners are environments. One turn is a few milliseconds, or
 * one condition, or one evaluation, each of which is bounded.
 */
export const policyTurns = new Turns((run) => setImmediate(run));
