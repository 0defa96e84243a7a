export type WaitResult = 'notified' | 'timeout' | 'aborted';

/** Waiters by key. A wake is for one key or for all; a woken waiter must check by itself whether what it waits for has happened. */
export class KeyedWaiters {
  private ended = false;
  private readonly waiters = new Map<string, Set<(result: WaitResult) => void>>();

  /** Registers before it returns: a caller that calls this and then reads the row misses nothing. */
  wait(key: string, timeoutMs: number, signal?: AbortSignal): Promise<WaitResult> {
    if (signal?.aborted === true) return Promise.resolve('aborted');
    if (this.ended) return Promise.resolve('timeout');
    return new Promise((resolve) => {
      const settle = (result: WaitResult): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        const ofKey = this.waiters.get(key);
        ofKey?.delete(settle);
        if (ofKey?.size === 0) this.waiters.delete(key);
        resolve(result);
      };
      const onAbort = (): void => settle('aborted');
      const timer = setTimeout(() => settle('timeout'), Math.max(0, timeoutMs));
      signal?.addEventListener('abort', onAbort, { once: true });
      const ofKey = this.waiters.get(key) ?? new Set();
      ofKey.add(settle);
      this.waiters.set(key, ofKey);
    });
  }

  wake(key: string): void {
    for (const settle of this.waiters.get(key) ?? []) settle('notified');
  }

  wakeAll(): void {
    for (const key of this.waiters.keys()) this.wake(key);
  }

  /** Ends the wait of everybody, including those who come later: each checks once more and returns. */
  end(): void {
    this.ended = true;
    for (const ofKey of this.waiters.values()) for (const settle of ofKey) settle('timeout');
  }

  get isEnded(): boolean {
    return this.ended;
  }

  get size(): number {
    let size = 0;
    for (const ofKey of this.waiters.values()) size += ofKey.size;
    return size;
  }
}
