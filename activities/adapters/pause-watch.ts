/** How often the process shows itself that it runs. */
const BEAT_INTERVAL_MS = 250;
/** A timer of a busy process is late by less. */
const PAUSE_MS_MIN = 2 * BEAT_INTERVAL_MS;

/** Two clocks, because each misses something: the monotonic one stands still while the machine sleeps; the other one can be set. */
export interface Clocks {
  monotonicMs: number;
  wallMs: number;
}

/** What was measured since `measure` was called. */
export interface Measured {
  elapsedMs: number;
  /** How long the process stood still meanwhile, in all of its pauses, the one that ends now included. */
  pausedMs: number;
}

/**
 * Notices when this process stood still: it was stopped (SIGSTOP), its machine slept, or its event loop was blocked. One for a
 * process. A timer beats; the time between two beats is a pause where it is longer than lateness explains.
 *
 * Who asks is a beat too. So it does not matter which runs first when the process wakes: the timer, which notes the pause and
 * leaves a fresh beat behind, or the one who asks, before whom no beat has noted anything.
 */
export class PauseWatch {
  private readonly read: () => Clocks;
  private readonly timer: ReturnType<typeof setInterval>;
  private last: Clocks;
  private pausedMs = 0;

  constructor(read: () => Clocks = readClocks) {
    this.read = read;
    this.last = read();
    this.timer = setInterval(() => this.beat(), BEAT_INTERVAL_MS).unref();
  }

  /** Begins to measure, and returns what reads it. */
  measure(): () => Measured {
    const from = this.beat();
    const before = this.pausedMs;
    return () => {
      const { monotonicMs } = this.beat();
      return { elapsedMs: monotonicMs - from.monotonicMs, pausedMs: this.pausedMs - before };
    };
  }

  close(): void {
    clearInterval(this.timer);
  }

  private beat(): Clocks {
    const { last } = this;
    const now = this.read();
    const silenceMs = Math.max(now.monotonicMs - last.monotonicMs, now.wallMs - last.wallMs);
    if (silenceMs >= PAUSE_MS_MIN) this.pausedMs += silenceMs;
    this.last = now;
    return now;
  }
}

function readClocks(): Clocks {
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}
