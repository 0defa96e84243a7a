/** Values by text, as many as weigh `bytesMax` together: the least recently used go first. */
export class KeptByText<Value> {
  readonly #bytesMax: number;
  readonly #weigh: (text: string, value: Value) => number;
  readonly #byText = new Map<string, Value>();
  #bytes = 0;

  constructor(bytesMax: number, weigh: (text: string, value: Value) => number) {
    this.#bytesMax = bytesMax;
    this.#weigh = weigh;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(text: string, make: () => Value): Value {
    const known = this.#byText.get(text);
    const value = known ?? make();
    if (known === undefined) this.#bytes += this.#weigh(text, value);
    this.#byText.delete(text);
    this.#byText.set(text, value);
    for (const [oldest, old] of this.#byText) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#byText.delete(oldest);
      this.#bytes -= this.#weigh(oldest, old);
    }
    return value;
  }
}
