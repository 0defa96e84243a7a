import { setTimeout as delay } from 'node:timers/promises';
import type { ActivityDependencies } from './dependencies.ts';

/**
 * The answer of a call exists once. A short outage of the database must not turn it into an unknown outcome, nor send a
 * delivered message again.
 */
const RETRY_DELAYS_MS = [100, 500, 2_000, 5_000];

/** Retries the write of an unrepeatable record for some seconds, until the database accepts it. `ref` is for the log. */
export async function recordPatiently<T>(
  deps: Pick<ActivityDependencies, 'logger'>,
  ref: object,
  tryToRecord: (earlierTries: number) => Promise<T>,
): Promise<T> {
  for (const [earlierTries, retryDelayMs] of [...RETRY_DELAYS_MS, null].entries()) {
    try {
      return await tryToRecord(earlierTries);
    } catch (error) {
      if (retryDelayMs === null) throw error;
      deps.logger.warn({ ...ref, err: error }, 'could not record the end of a call: trying again');
      await delay(retryDelayMs);
    }
  }
  throw new Error('unreachable: the last try either answers or throws');
}
