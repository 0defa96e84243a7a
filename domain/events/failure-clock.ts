/** A subscription is disabled once every delivery has failed for so long. */
export const DISABLED_AFTER_MS = 5 * 24 * 3_600_000;
/** The clock runs once two failures lie so far apart, and no farther: one bad hour starts none. As Svix does. */
export const CLOCK_APART_MS_MIN = 12 * 3_600_000;
export const CLOCK_APART_MS_MAX = 24 * 3_600_000;

/** The memory that a subscription has of failed deliveries, without a success in between. */
export interface FailureClock {
  failingSince: Date;
  lastFailureAt: Date;
  /** Two failures lay 12 to 24 hours apart: five days from `failingSince` disable the subscription. */
  clockRuns: boolean;
}

/**
 * The clock after one more delivery failed for good at `at`. A null clock means that none failed since the last success. The first and
 * last failure suffice to find a pair that starts the clock: they lie less than 12 hours apart, so once the first is 24
 * hours old, no failure in between can start what the last one does not.
 */
export function afterFailure(clock: FailureClock | null, at: Date): { clock: FailureClock; disables: boolean } {
  if (clock === null) return { clock: { failingSince: at, lastFailureAt: at, clockRuns: false }, disables: false };
  // Two transactions that settle at once may come here in the other order than they began.
  const now = new Date(Math.max(at.getTime(), clock.lastFailureAt.getTime()));
  if (clock.clockRuns) {
    const disables = now.getTime() - clock.failingSince.getTime() >= DISABLED_AFTER_MS;
    return { clock: { ...clock, lastFailureAt: now }, disables };
  }
  const isWithin = (first: Date): boolean => now.getTime() - first.getTime() <= CLOCK_APART_MS_MAX;
  const { failingSince: first, lastFailureAt: last } = clock;
  const failingSince = isWithin(first) ? first : isWithin(last) ? last : now;
  const clockRuns = now.getTime() - failingSince.getTime() >= CLOCK_APART_MS_MIN;
  return { clock: { failingSince, lastFailureAt: now, clockRuns }, disables: false };
}
