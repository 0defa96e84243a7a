import { z } from 'zod';
import type { SettlementHub } from '../../db/announcements/settlement-hub.ts';
import { abortWith, RequestAbortedError } from './client-gone.ts';

/** Below the minute after which many clients and proxies give up. */
export const WAIT_SECONDS_MAX = 60;

/** The `wait` of a query that may wait for news. */
export const waitSeconds = (what: string) =>
  z.coerce
    .number()
    .int()
    .min(0)
    .max(WAIT_SECONDS_MAX)
    .default(0)
    .describe(`Seconds to wait for ${what}, before it answers with what there is.`);

export interface LongPoll<Shown> {
  settlements: SettlementHub;
  workspaceId: string;
  /** The id that a notification names. */
  key: string;
  timeoutMs: number;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
  /** Reads what is shown, on a connection that it gives back. */
  read: () => Promise<Shown>;
  /** Whether `shown` is what the caller waits for; `first` is what the first read found. */
  isNews: (shown: Shown, first: Shown) => boolean;
}

/**
 * Reads until there is news, or the time is over. Registers for the notification before each read, so that none is missed in
 * between, and holds no connection while it waits. A workspace that waits too often is answered at once (`SettlementHub.poll`).
 *
 * @throws {RequestAbortedError} once the caller has left.
 */
export async function longPoll<Shown>(poll: LongPoll<Shown>): Promise<Shown> {
  const deadline = Date.now() + poll.timeoutMs;
  const done = new AbortController();
  const release = abortWith(poll.signal, done);
  let first: { shown: Shown } | null = null;
  let isOver = false;
  try {
    for (;;) {
      const remainingMs: number = isOver ? 0 : deadline - Date.now();
      const woken =
        remainingMs > 0 ? poll.settlements.poll(poll.workspaceId, poll.key, remainingMs, done.signal) : null;
      const shown = await poll.read();
      first ??= { shown };
      if (woken === null || poll.isNews(shown, first.shown)) return shown;
      isOver = (await woken) === 'timeout'; // read again, whatever ended the wait
      if (poll.signal.aborted) throw new RequestAbortedError();
    }
  } finally {
    release();
    done.abort();
  }
}
