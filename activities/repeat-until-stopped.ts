import { setTimeout as delay } from 'node:timers/promises';

/** Something that goes on in the background of a process until it is stopped. */
export interface Repeated {
  /** Ends the pause, and waits for the step at hand. */
  stop(): Promise<void>;
}

export interface Woken extends Repeated {
  /** Something came: a pause that has become longer than the shortest one ends. */
  wake(): void;
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
): Woken {
  const stopping = new AbortController();
  const { signal } = stopping;
  const { min, max } = typeof intervalMs === 'number' ? { min: intervalMs, max: intervalMs } : intervalMs;
  let pauseMs = min;
  let pause = new AbortController();
  let isWoken = false;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      pause = new AbortController();
      await delay(pauseMs, undefined, { signal: pause.signal }).catch(() => undefined);
      if (signal.aborted) return;
      isWoken = false;
      try {
        const found = await step(signal);
        // What came meanwhile may have come behind the look.
        pauseMs = found === true || isWoken ? min : Math.min(max, pauseMs * 2);
      } catch (error) {
        failed(error);
      }
    }
  };
  const running = run();
  return {
    wake: () => {
      isWoken = true;
      if (pauseMs === min) return;
      pauseMs = min;
      pause.abort();
    },
    stop: async () => {
      stopping.abort();
      pause.abort();
      await running;
    },
  };
}
