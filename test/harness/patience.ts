/**
 * Long enough for a busy machine to do what a quiet one does in moments. Every wait of a test for a condition uses it, and none
 * is shorter. The wait ends when the condition holds, so a long limit costs a passing test nothing.
 */
export const PATIENCE_MS = 120_000;
/** The limit of a whole test, which may wait more than once. */
export const TEST_TIMEOUT_MS = 3 * PATIENCE_MS;
