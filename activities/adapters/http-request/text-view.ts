/** Bytes that were decoded from a text, each with where it stands in that text. */
export class TextView {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  length = 0;
  /** How many of them were read. They no longer change. */
  done = 0;

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
    this.starts = new Uint32Array(capacity);
    this.ends = new Uint32Array(capacity);
  }

  push(byte: number, start: number, end: number): void {
    this.bytes[this.length] = byte;
    this.starts[this.length] = start;
    this.ends[this.length] = end;
    this.length++;
  }

  /** Forgets what was read but for its last bytes. */
  forget(kept: number): void {
    const from = this.done - kept;
    if (from <= 0) return;
    for (const array of [this.bytes, this.starts, this.ends]) array.copyWithin(0, from, this.length);
    this.length -= from;
    this.done = kept;
  }

  /** The byte so many places before the end, 1 for the last; 0 where it was read already. */
  fromEnd(places: number): number {
    const index = this.length - places;
    return index < this.done ? 0 : (this.bytes[index] ?? 0);
  }
}
