/** The calls that a process has under way at once beside the tasks of its queues. Who gets no slot goes to a queue. */
export class CallSlots {
  #free: number;

  constructor(slots: number) {
    this.#free = slots;
  }

  /** A slot, which its disposal gives back; null where none is free. */
  take(): Disposable | null {
    if (this.#free === 0) return null;
    this.#free--;
    return { [Symbol.dispose]: () => void this.#free++ };
  }
}
