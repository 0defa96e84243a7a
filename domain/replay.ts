/**
 * An operator's replay: the same bytes again under the same provider key. Safe only while the provider knows that key, so the
 * window must have this much left when the request leaves: clocks differ, and a request takes its time to arrive. No imports:
 * workflows may read it.
 */
export const REPLAY_MARGIN_SECONDS = 60;
