/** `npm run test:faults` sets it: all seeds and repetitions. `npm test` runs each kind of fault in a short form. */
const isFull = process.env['FAULTS'] === 'full';

/** What a fault test repeats, by the form that is run. Both prove the same; the full form meets rarer interleavings. */
export function inForm<T>({ short, full }: { short: T; full: T }): T {
  return isFull ? full : short;
}
