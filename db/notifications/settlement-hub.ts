import { KeyedWaiters, type WaitResult } from './keyed-waiters.ts';
import { CHANNELS, type NotificationListener } from './notification-listener.ts';

/**
 * Lets a request wait until an invocation has come to rest (`wait`), or an approval is decided (`poll`), without asking the
 * database again and again. Use it so, and no notification is lost:
 *
 *     const woken = hub.wait(id, remainingMs, done.signal); // registers first
 *     if (isResting(await readInvocation(id))) return done.abort();
 *     if ((await woken) === 'timeout') ...                  // else read the row again
 *
 * `notified` says "look again", not "it is settled": all waiters are woken too when notifications may have been lost.
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

  /** As `wait`, of a request that only looks: nothing of its own is under way. */
  poll(approvalId: string, timeoutMs: number, signal?: AbortSignal): Promise<WaitResult> {
    return this.pollers.wait(approvalId, timeoutMs, signal);
  }

  /** Requests that wait now. */
  get waiting(): number {
    return this.waiters.size + this.pollers.size;
  }

  /** A process that stops does not wait for those who only look: their time is over. */
  endPolls(): void {
    this.pollers.end();
  }

  /** Stops hearing; the time of all who wait still is over, so that they answer with what there is. */
  close(): void {
    for (const detach of this.detach) detach();
    this.pollers.end();
    this.waiters.end();
  }
}
