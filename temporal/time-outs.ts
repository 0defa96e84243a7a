/** A call to Temporal from a request or an activity gives up after so long: neither hangs on a Temporal that is away. */
export const TEMPORAL_CALL_TIMEOUT_MS = 5_000;
