/** The work of an evaluation went over its bound. Never caught inside an expression: `||` cannot swallow it. */
export class WorkBoundExceeded extends Error {
  constructor() {
    super('the expression is too much work for this input');
    this.name = 'WorkBoundExceeded';
  }
}

/** Counts work, and throws when it goes over its bound. */
export class Meter {
  #spent = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get spent(): number {
    return this.#spent;
  }

  get left(): number {
    return Math.max(0, this.#limit - this.#spent);
  }

  /** @throws {WorkBoundExceeded} */
  charge(units: number): void {
    this.#spent += units;
    if (this.#spent > this.#limit) throw new WorkBoundExceeded();
  }

  add(part: Meter): void {
    this.#spent += part.spent;
  }
}
