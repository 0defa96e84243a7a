/** The longest delay that `setTimeout` takes; it runs a longer one at once. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

/**
 * A signal that aborts after a time, or as soon as one of its parents aborts. Its timer and its parents keep it alive until it
 * is disposed of. The platform's composed signals do not: Node 20 may collect one together with the timer of its time-out,
 * which then never comes (nodejs/node#57736).
 *
 *     using deadline = new Deadline(timeoutMs, parent);
 *     await work(deadline.signal);
 *
 * The reason is a `TimeoutError`, like that of the platform's time-outs, or the parent's reason.
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
