/** What one long poll asks for: below the minute after which many proxies give up. */
const LONG_POLL_SECONDS_MAX = 30;
/** A service that holds too many waits answers at once: then the client pauses, so that it does not ask without end. */
const SOON_MS = 500;
const PAUSE_MS = 1_000;

export interface Wait<T> {
  /** Reads once; the service holds the reply for up to so many seconds. */
  read(seconds: number): Promise<T>;
  isDone(value: T): boolean;
  /** When to stop, in milliseconds of `Date.now()`. */
  until: number;
  pause(ms: number): Promise<void>;
  /** Each reading, as it came. */
  seen?(value: T): void;
}

/** Reads until it is done, or the time is over: then it answers what it read last. */
export async function waitFor<T>({ read, isDone, until, pause, seen }: Wait<T>): Promise<T> {
  for (;;) {
    const startedAt = Date.now();
    const seconds = Math.min(LONG_POLL_SECONDS_MAX, Math.max(0, Math.ceil((until - startedAt) / 1_000)));
    const value = await read(seconds);
    seen?.(value);
    if (isDone(value) || seconds === 0) return value;
    if (Date.now() - startedAt < SOON_MS) await pause(Math.min(PAUSE_MS, Math.max(0, until - Date.now())));
  }
}

/** Waits so long, or until the signal aborts: the caller then asks the signal. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
    if (signal?.aborted === true) end();
  });
}
