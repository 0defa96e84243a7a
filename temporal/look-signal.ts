/** A signal: the record changed. The workflow reads it instead of waiting on, and ends where nothing is left to do. */
export const LOOK_SIGNAL = 'look';
