import { useMemo } from 'react';
import { useClock } from './clock.tsx';

const QUARTER_HOUR_MS = 900_000;

/** The moment so long ago, on a quarter of an hour: the same question for as long, so that its answer is kept. */
export function useSince(ms: number): string {
  const quarter = Math.floor(useClock().now / QUARTER_HOUR_MS);
  return useMemo(() => new Date(quarter * QUARTER_HOUR_MS - ms).toISOString(), [quarter, ms]);
}
