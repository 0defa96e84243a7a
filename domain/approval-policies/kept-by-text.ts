/** Values by text, as many as `charactersMax` allows: the least recently used go first. */
export class KeptByText<Value> {
  readonly #charactersMax: number;
  readonly #byText = new Map<string, Value>();
  #characters = 0;

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax;
  }

  get characters(): number {
    return this.#characters;
  }

  get(text: string, make: () => Value): Value {
    const known = this.#byText.get(text);
    const value = known ?? make();
    if (known === undefined) this.#characters += text.length;
    this.#byText.delete(text);
    this.#byText.set(text, value);
    for (const oldest of this.#byText.keys()) {
      if (this.#characters <= this.#charactersMax) break;
      this.#byText.delete(oldest);
      this.#characters -= oldest.length;
    }
    return value;
  }
}
