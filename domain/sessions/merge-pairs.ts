/** Byte pair encoding of one word, n log n by a heap. Source: tiktoken, `_byte_pair_merge_large`. */
export function mergePairs(word: Uint8Array, rankOf: (bytes: Uint8Array) => number | undefined): number[] {
  const { length } = word;
  // The parts are a linked list by the index of their first byte; `next` of the last one is the length.
  const next = Int32Array.from({ length: length + 1 }, (_, at) => at + 1);
  const before = Int32Array.from({ length: length + 1 }, (_, at) => at - 1);
  /** The rank of the pair that begins at an index: a heap entry with another one is out of date. */
  const pairRank = new Float64Array(length).fill(Infinity);
  const heap = new PairHeap();
  const look = (at: number): void => {
    const second = next[at] ?? length;
    const rank = second >= length ? undefined : rankOf(word.subarray(at, next[second]));
    pairRank[at] = rank ?? Infinity;
    if (rank !== undefined) heap.push(rank, at);
  };
  for (let at = 0; at < length - 1; at++) look(at);
  for (let pair = heap.pop(); pair !== null; pair = heap.pop()) {
    const { rank, at } = pair;
    if (pairRank[at] !== rank) continue;
    const merged = next[at] ?? length;
    const after = next[merged] ?? length;
    next[at] = after;
    before[after] = at;
    pairRank[merged] = Infinity;
    look(at);
    const previous = before[at] ?? -1;
    if (previous >= 0) look(previous);
  }
  const tokens: number[] = [];
  for (let at = 0; at < length; at = next[at] ?? length) {
    const rank = rankOf(word.subarray(at, next[at]));
    if (rank === undefined) throw new Error('a part of a word has no rank: the table of ranks lacks a byte');
    tokens.push(rank);
  }
  return tokens;
}

interface Pair {
  rank: number;
  at: number;
}

/** The lowest rank first, and of equals the one that begins first. */
class PairHeap {
  readonly #pairs: Pair[] = [];

  push(rank: number, at: number): void {
    const pairs = this.#pairs;
    pairs.push({ rank, at });
    let child = pairs.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!this.#isBefore(child, parent)) return;
      this.#swap(child, parent);
      child = parent;
    }
  }

  pop(): Pair | null {
    const pairs = this.#pairs;
    const [first] = pairs;
    const last = pairs.pop();
    if (first === undefined || last === undefined) return null;
    if (pairs.length === 0) return first;
    pairs[0] = last;
    for (let parent = 0; ;) {
      const left = 2 * parent + 1;
      const right = left + 1;
      let least = parent;
      if (left < pairs.length && this.#isBefore(left, least)) least = left;
      if (right < pairs.length && this.#isBefore(right, least)) least = right;
      if (least === parent) return first;
      this.#swap(parent, least);
      parent = least;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [left, right] = [this.#pairs[a], this.#pairs[b]];
    if (left === undefined || right === undefined) throw new Error('an index outside of the heap');
    return left.rank < right.rank || (left.rank === right.rank && left.at < right.at);
  }

  #swap(a: number, b: number): void {
    const [left, right] = [this.#pairs[a], this.#pairs[b]];
    if (left === undefined || right === undefined) throw new Error('an index outside of the heap');
    this.#pairs[a] = right;
    this.#pairs[b] = left;
  }
}
