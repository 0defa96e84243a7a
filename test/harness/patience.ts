/**
 * As long as a busy machine takes for what a quiet one does in moments. Every wait of a test for a condition has it, and none
 * says less: the wait ends when the condition holds, so patience costs a test that passes nothing.
 */
export const PATIENCE_MS = 60_000;
/** Of a whole test, which may wait more than once. */
export const TEST_TIMEOUT_MS = 2 * PATIENCE_MS;
