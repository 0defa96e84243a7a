import { setTimeout as delay } from 'node:timers/promises';

const INTERVAL_MS = 50;
const TIMEOUT_MS = 20_000;

/** Asks until the answer is no error. Throws the last error when the time is over. */
export async function untilItAnswers(ask: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    try {
      await ask();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(INTERVAL_MS);
    }
  }
}
