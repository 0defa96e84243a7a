import type { InSteps } from './in-steps.ts';

/** A turn ends after the first step that ends later than this. */
const TURN_MS = 5;

/** Turns for CPU-bound work: one in each round of the event loop, rotating among the owners. */
export class Turns {
  readonly #later: (run: () => void) => void;
  /** Waiting turns by owner; the next owner comes first. No list is empty. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #isComing = false;

  /** @param later runs something in the next round of the event loop. */
  constructor(later: (run: () => void) => void) {
    this.#later = later;
  }

  /** Resolves when it is this owner's turn. The turn ends at the caller's next `await`. */
  take(owner: string): Promise<void> {
    return new Promise((resolve) => {
      const before = this.#waiting.get(owner);
      if (before === undefined) this.#waiting.set(owner, [resolve]);
      else before.push(resolve);
      this.#call();
    });
  }

  /** Does the work in as many turns as it needs. */
  async run<Result>(owner: string, steps: InSteps<Result>): Promise<Result> {
    for (;;) {
      await this.take(owner);
      const endsAt = performance.now() + TURN_MS;
      do {
        const step = steps.next();
        if (step.done === true) return step.value;
      } while (performance.now() < endsAt);
    }
  }

  #call(): void {
    if (this.#isComing || this.#waiting.size === 0) return;
    this.#isComing = true;
    this.#later(() => {
      this.#isComing = false;
      this.#give();
      this.#call();
    });
  }

  #give(): void {
    for (const [owner, [first, ...others]] of this.#waiting) {
      this.#waiting.delete(owner);
      if (others.length > 0) this.#waiting.set(owner, others);
      first?.();
      return;
    }
  }
}
