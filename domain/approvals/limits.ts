/** Free-standing approvals of an environment that are pending. What an invocation waits for is not counted. */
export const PENDING_FREE_STANDING_MAX = 1_000;
