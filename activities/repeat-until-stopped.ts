import { setTimeout as delay } from 'node:timers/promises';

/** Something that goes on in the background of a process until it is stopped. */
export interface Repeated {
  /** Ends the pause, and waits for the step at hand. */
  stop(): Promise<void>;
}

/** Repeats a step, each after a pause. A step that throws is told to `failed`, and done again after the next pause. */
export function repeatUntilStopped(
  step: (signal: AbortSignal) => Promise<void>,
  { intervalMs, failed }: { intervalMs: number; failed: (error: unknown) => void },
): Repeated {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await delay(intervalMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await step(signal);
      } catch (error) {
        failed(error);
      }
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
