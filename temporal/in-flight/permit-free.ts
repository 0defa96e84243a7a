/** A signal to a workflow that waits for a permit in flight: one is free, ask again. */
export const PERMIT_FREE_SIGNAL = 'permitFree';
