import { KeyedWaiters, type WaitResult } from './keyed-waiters.ts';
import { CHANNELS, type NotificationListener } from './notification-listener.ts';

/**
 * Lets a request wait until an invocation has come to rest, or an approval is decided (by its id), without polling. Use it so, and no notification is lost:
 *
 *     const woken = hub.wait(id, remainingMs, done.signal); // registers first
 *     if (isResting(await readInvocation(id))) return done.abort();
 *     if ((await woken) === 'timeout') ...                  // else read the row again
 *
 * `notified` says "look again", not "it is settled": all waiters are woken too when notifications may have been lost.
 */
export class SettlementHub {
  private readonly waiters = new KeyedWaiters();
  private readonly detach: (() => void)[];

  constructor(listener: Pick<NotificationListener, 'listen' | 'onGap'>) {
    this.detach = [
      listener.listen(CHANNELS.invocationSettled, (invocationId) => this.waiters.wake(invocationId)),
      listener.listen(CHANNELS.approvalChanged, (approvalId) => this.waiters.wake(approvalId)),
      listener.onGap(() => this.waiters.wakeAll()),
    ];
  }

  wait(invocationId: string, timeoutMs: number, signal?: AbortSignal): Promise<WaitResult> {
    return this.waiters.wait(invocationId, timeoutMs, signal);
  }

  /** Requests that wait now. */
  get waiting(): number {
    return this.waiters.size;
  }

  /** Stops hearing; who waits still is woken to look once more. */
  close(): void {
    for (const detach of this.detach) detach();
    this.waiters.wakeAll();
  }
}
