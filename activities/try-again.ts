import { setTimeout as delay } from 'node:timers/promises';

/** Tries until one try succeeds, with these pauses, and throws the last failure. `failed` receives each earlier one. */
export async function tryAgain<T>(
  pausesMs: readonly number[],
  attempt: (earlierTries: number) => Promise<T>,
  failed: (error: unknown) => void = () => undefined,
): Promise<T> {
  for (const [earlierTries, pauseMs] of [...pausesMs, null].entries()) {
    try {
      return await attempt(earlierTries);
    } catch (error) {
      if (pauseMs === null) throw error;
      failed(error);
      await delay(pauseMs);
    }
  }
  throw new Error('unreachable: the last try either answers or throws');
}

/** The pause between two signals after a commit. With the time-outs of two calls it fits into a local activity's. */
const TELL_PAUSES_MS = [200];

/** Signals or starts a workflow, and tries again where Temporal did not answer in time. Only for what may happen twice. */
export function tellPatiently<T>(tell: () => Promise<T>): Promise<T> {
  return tryAgain(TELL_PAUSES_MS, tell);
}
