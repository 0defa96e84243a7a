import type { ActivityDependencies } from './dependencies.ts';
import { tryAgain } from './try-again.ts';

/** A call's answer exists once: a short outage must neither lose it nor send a delivered message again. */
const RETRY_PAUSES_MS = [100, 500, 2_000, 5_000];

/** Tries that also settle. A settlement that the database refuses must not cost the record: later tries only record. */
const SETTLING_TRIES = 2;

/** Retries an unrepeatable write for some seconds; without `maySettle` it only records. `ref` is for the log. */
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
