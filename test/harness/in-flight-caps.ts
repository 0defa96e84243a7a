import type { InFlightCaps } from '../../domain/in-flight.ts';

/** The same cap for every kind of work. */
export function everyCap(most: number): InFlightCaps {
  return { dispatch: most, delivery: most, provider_read: most, notification: most, maintenance: most };
}
