import { vi } from 'vitest';
import { type Clocks, PauseWatch } from '../../activities/adapters/pause-watch.ts';

/** A pause watch whose clocks and timer move only as a test says. */
export class SetClocks {
  readonly pauses: PauseWatch;
  private readonly clocks: Clocks = { monotonicMs: 1_000_000, wallMs: 5_000_000 };
  private beat: () => void = () => undefined;

  constructor() {
    const timer = vi.spyOn(globalThis, 'setInterval').mockImplementationOnce((beat) => {
      this.beat = beat;
      return { unref: () => undefined } as never;
    });
    this.pauses = new PauseWatch(() => ({ ...this.clocks }));
    timer.mockRestore();
  }

  /** The clocks go on, and no code of the process runs meanwhile. */
  pause(ms: number): void {
    this.clocks.monotonicMs += ms;
    this.clocks.wallMs += ms;
  }

  /** The machine sleeps: its monotonic clock sleeps too. */
  sleep(ms: number): void {
    this.clocks.wallMs += ms;
  }

  /** Someone sets the wall clock back. */
  setBack(ms: number): void {
    this.clocks.wallMs -= ms;
  }

  /** The process runs, and each beat of its timer is late. */
  run(ms: number, lateMs = 0): void {
    for (let passedMs = 0; passedMs < ms; passedMs += 250 + lateMs) {
      this.pause(250 + lateMs);
      this.beat();
    }
  }

  /** What runs first on waking, unless something else does. */
  beatNow(): void {
    this.beat();
  }
}
