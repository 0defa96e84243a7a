/** A signal to a workflow that waits for a place in flight: one is free, ask again. */
export const PLACE_FREE_SIGNAL = 'placeFree';
