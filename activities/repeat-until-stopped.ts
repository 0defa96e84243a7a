import { setTimeout as delay } from 'node:timers/promises';

/** Something that goes on in the background of a process until it is stopped. */
export interface Repeated {
  /** Ends the pause, and waits for the step at hand. */
  stop(): Promise<void>;
}

export interface RepeatOptions {
  /** Between two steps. A range begins with `min` after a step that found something, and doubles after each that found nothing. */
  intervalMs: number | { min: number; max: number };
  failed: (error: unknown) => void;
}

/** Repeats a step, each after a pause. A step that throws is told to `failed`, and done again after the next pause. */
export function repeatUntilStopped(
  step: (signal: AbortSignal) => Promise<boolean | void>,
  { intervalMs, failed }: RepeatOptions,
): Repeated {
  const stopping = new AbortController();
  const { signal } = stopping;
  const { min, max } = typeof intervalMs === 'number' ? { min: intervalMs, max: intervalMs } : intervalMs;
  const run = async (): Promise<void> => {
    for (let pauseMs = min; !signal.aborted;) {
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        pauseMs = (await step(signal)) === true ? min : Math.min(max, pauseMs * 2);
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
