import { KeyedWaiters, type WaitResult } from './keyed-waiters.ts';
import { CHANNELS, type NotificationListener } from './notification-listener.ts';

/**
 * Lets a request wait until an invocation is at rest (`wait`) or an approval is decided (`poll`) without polling the database.
 * Use it in this order, and no notification is lost:
 *
 *     const woken = hub.wait(id, remainingMs, done.signal); // registers first
 *     if (isResting(await readInvocation(id))) return done.abort();
 *     if ((await woken) === 'timeout') ...                  // else read the row again
 *
 * `notified` means "look again", not "settled": all waiters are woken when notifications may have been lost.
 */
export class SettlementHub {
  private readonly waiters = new KeyedWaiters();
  private readonly pollers = new KeyedWaiters();
  private readonly detach: (() => void)[];

  constructor(listener: Pick<NotificationListener, 'listen' | 'onGap'>) {
    this.detach = [
      listener.listen(CHANNELS.invocationSettled, (invocationId) => this.waiters.wake(invocationId)),
      listener.listen(CHANNELS.approvalChanged, (approvalId) => this.pollers.wake(approvalId)),
      listener.onGap(() => {
        this.waiters.wakeAll();
        this.pollers.wakeAll();
      }),
    ];
  }

  wait(invocationId: string, timeoutMs: number, signal?: AbortSignal): Promise<WaitResult> {
    return this.waiters.wait(invocationId, timeoutMs, signal);
  }

  /** Like `wait`, for a request that only reads and has no work of its own in flight. */
  poll(approvalId: string, timeoutMs: number, signal?: AbortSignal): Promise<WaitResult> {
    return this.pollers.wait(approvalId, timeoutMs, signal);
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
