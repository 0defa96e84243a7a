/** `npm run test:faults` sets it: all seeds and repetitions. `npm test` runs each kind of fault in a short form. */
const isFull = process.env['FAULTS'] === 'full';

/** The repetitions of a fault test in each form. Both prove the same; the full form meets rarer interleavings. */
export function inForm<T>({ short, full }: { short: T; full: T }): T {
  return isFull ? full : short;
}
