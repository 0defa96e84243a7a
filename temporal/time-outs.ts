/** The time-out of a call to Temporal from a request or an activity, so that neither hangs while Temporal is away. */
export const TEMPORAL_CALL_TIMEOUT_MS = 5_000;
