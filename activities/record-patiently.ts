import type { ActivityDependencies } from './dependencies.ts';
import { tryAgain } from './try-again.ts';

/**
 * The answer of a call exists once. A short outage of the database must not turn it into an unknown outcome, nor send a
 * delivered message again.
 */
const RETRY_PAUSES_MS = [100, 500, 2_000, 5_000];

/**
 * The tries that settle in the transaction of the record. A lost connection fails one of them; a settlement that the database
 * refuses, even at the COMMIT, fails them all, and must not cost the record. The later tries only record.
 */
const SETTLING_TRIES = 2;

/**
 * Retries the write of an unrepeatable record for some seconds, until the database accepts it. `ref` is for the log. Where
 * `maySettle` is false the record is written alone: the workflow or the sweep (`unsettled-answers`) settles from it.
 */
export function recordPatiently<T>(
  deps: Pick<ActivityDependencies, 'logger'>,
  ref: object,
  tryToRecord: (maySettle: boolean) => Promise<T>,
): Promise<T> {
  return tryAgain(
    RETRY_PAUSES_MS,
    (earlierTries) => tryToRecord(earlierTries < SETTLING_TRIES),
    (error) => deps.logger.warn({ ...ref, err: error }, 'could not record the end of a call: trying again'),
  );
}
