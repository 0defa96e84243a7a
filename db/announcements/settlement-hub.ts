import { recordIdOf } from './changed-records.ts';
import { KeyedWaiters, type WaitResult } from './keyed-waiters.ts';
import { CHANNELS, type NotificationListener } from './notification-listener.ts';

/** Counts the requests of each workspace that wait in this process, since each holds a connection of it. */
class Places {
  private readonly aWorkspaceMax: number;
  private readonly taken = new Map<string, number>();

  constructor(aWorkspaceMax: number) {
    this.aWorkspaceMax = aWorkspaceMax;
  }

  /** Returns what gives the place back; null where the workspace has all of its own. */
  take(workspaceId: string): (() => void) | null {
    const taken = this.taken.get(workspaceId) ?? 0;
    if (taken >= this.aWorkspaceMax) return null;
    this.taken.set(workspaceId, taken + 1);
    return () => {
      const left = (this.taken.get(workspaceId) ?? 1) - 1;
      if (left === 0) this.taken.delete(workspaceId);
      else this.taken.set(workspaceId, left);
    };
  }
}

/** A tenth of the connections that a process takes by default. */
export const POLLS_OF_A_WORKSPACE_MAX = 400;
/** As many again, so that neither the polls of a workspace nor what it invokes take the places of the other. */
export const INVOKES_OF_A_WORKSPACE_MAX = 400;
/** A notification may be lost, with the process that was to send it: waiters look again after this time. */
export const LOOK_MS = 10_000;

/**
 * Lets a request wait until an invocation is at rest (`wait`), or has news (`poll`, of approvals too), without polling the database.
 * Use it in this order, and no notification is lost:
 *
 *     const woken = hub.wait(id, remainingMs, done.signal); // registers first
 *     if (isResting(await readInvocation(id))) return done.abort();
 *     if ((await woken) === 'timeout') ...                  // else read the row again
 *
 * `notified` means "look again", not "settled": each waiter is woken every few seconds, and all of them when notifications may have
 * been lost.
 */
export class SettlementHub {
  private readonly waiters = new KeyedWaiters();
  private readonly pollers = new KeyedWaiters();
  private readonly polls = new Places(POLLS_OF_A_WORKSPACE_MAX);
  private readonly invokes = new Places(INVOKES_OF_A_WORKSPACE_MAX);
  private readonly detach: (() => void)[];

  constructor(listener: Pick<NotificationListener, 'listen' | 'onGap'>) {
    this.detach = [
      listener.listen(CHANNELS.invocationSettled, (payload) => {
        const invocationId = recordIdOf(payload);
        this.waiters.wake(invocationId);
        this.pollers.wake(invocationId);
      }),
      listener.listen(CHANNELS.approvalChanged, (payload) => this.pollers.wake(recordIdOf(payload))),
      listener.onGap(() => {
        this.waiters.wakeAll();
        this.pollers.wakeAll();
      }),
    ];
  }

  /**
   * For a request that invokes and means to `wait`, before it admits anything. Returns what gives the place back, once it is answered; null
   * where as many of its workspace wait as may: then it does not wait.
   */
  takePlace(workspaceId: string): (() => void) | null {
    return this.invokes.take(workspaceId);
  }

  wait(invocationId: string, timeoutMs: number, signal?: AbortSignal): Promise<WaitResult> {
    return waitOrLook(this.waiters, invocationId, timeoutMs, signal);
  }

  /**
   * Like `wait`, for a request that only reads an invocation or an approval and has no work of its own in flight. Each holds a
   * connection of this process, so a workspace that has `POLLS_OF_A_WORKSPACE_MAX` of them is told at once that the time is over.
   */
  async poll(workspaceId: string, id: string, timeoutMs: number, signal?: AbortSignal): Promise<WaitResult> {
    const leave = this.polls.take(workspaceId);
    if (leave === null) return 'timeout';
    try {
      return await waitOrLook(this.pollers, id, timeoutMs, signal);
    } finally {
      leave();
    }
  }

  /** The number of requests that wait now. */
  get waiting(): number {
    return this.waiters.size + this.pollers.size;
  }

  /** Ends the wait of requests that only read, so that a process that stops need not wait for them. */
  endPolls(): void {
    this.pollers.end();
  }

  /** Stops listening and ends every wait, so that each request answers with the current state. */
  close(): void {
    for (const detach of this.detach) detach();
    this.pollers.end();
    this.waiters.end();
  }
}

/** Registers before it returns, as `KeyedWaiters.wait` does. */
async function waitOrLook(
  waiters: KeyedWaiters,
  key: string,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<WaitResult> {
  const result = await waiters.wait(key, Math.min(timeoutMs, LOOK_MS), signal);
  return result === 'timeout' && timeoutMs > LOOK_MS && !waiters.isEnded ? 'notified' : result;
}
