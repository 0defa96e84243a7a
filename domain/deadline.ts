/** The longest delay that `setTimeout` takes; it runs a longer one at once. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

/**
 * A signal that aborts after a time (with a `TimeoutError`) or with a parent (with its reason): `using deadline = new
 * Deadline(timeoutMs, parent)`. Its timer and parents keep it alive until it is disposed of. Node 20 may collect the
 * platform's composed signals with their timer, and the time-out never comes (nodejs/node#57736).
 */
export class Deadline implements Disposable {
  private readonly controller = new AbortController();
  private readonly timer: ReturnType<typeof setTimeout>;
  private readonly detach: (() => void)[] = [];

  constructor(timeoutMs: number, ...parents: readonly AbortSignal[]) {
    if (!(timeoutMs >= 0 && timeoutMs <= TIMEOUT_MS_MAX)) throw new RangeError(`no time-out of ${timeoutMs} ms`);
    this.timer = setTimeout(() => this.end(new DOMException('the time-out was reached', 'TimeoutError')), timeoutMs);
    for (const parent of parents) {
      const forward = (): void => this.end(parent.reason);
      parent.addEventListener('abort', forward, { once: true });
      this.detach.push(() => parent.removeEventListener('abort', forward));
      if (parent.aborted) forward();
    }
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Removes the timer and the listeners. The signal's state does not change. */
  [Symbol.dispose](): void {
    clearTimeout(this.timer);
    for (const detach of this.detach.splice(0)) detach();
  }

  private end(reason: unknown): void {
    this[Symbol.dispose]();
    this.controller.abort(reason);
  }
}
