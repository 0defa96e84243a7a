/** A form of a secret, in bytes. */
export interface Needle {
  bytes: Uint8Array;
  /** From how many bytes on a part of it is found; `WHOLE_ONLY` where only all of it is. */
  partMin: number;
  /** Found only where neither a letter nor a digit stands beside it. */
  standsAlone: boolean;
}

/** Longer than any needle. */
export const WHOLE_ONLY = 2 ** 30;

/** Where the automaton is in a text. It counts its steps: at most two for each byte, whatever the text and the needles are. */
export interface Cursor {
  state: number;
  /** How many of the bytes before it are part of a needle. */
  length: number;
  steps: number;
}

export const newCursor = (): Cursor => ({ state: ROOT, length: 0, steps: 0 });

const ROOT = 0;
/** No edge leads to the root. */
const NONE = 0;
const BEFORE_ROOT = -1;
/** States and edges that n bytes make at most are 2 n and 3 n. A fourth keeps the table of edges sparse. */
const STATES_PER_BYTE = 2;
const SLOTS_PER_BYTE = 4;
const WHOLE_ANYWHERE = 1;
const WHOLE_ALONE = 2;

/**
 * The suffix automaton of all needles together: after each byte of a text it knows the longest part of a needle that ends there. (Blumer
 * and others, "The smallest automaton recognizing the subwords of a text", 1985.) A state stands for parts that end at the same places in
 * the needles, `lengths` is the longest of them, and `links` leads to the state of the longest shorter end.
 */
export class SuffixAutomaton {
  readonly longest: number;
  private states = 1;
  private readonly links: Int32Array;
  private readonly lengths: Int32Array;
  /** The least `partMin` of the needles that the state's parts are of. */
  private readonly partMins: Int32Array;
  private readonly wholes: Uint8Array;
  /** 1: the longest part of the state begins a needle of which parts are found. */
  private readonly begins: Uint8Array;
  /** The nearest state along the links that stands for something to find. */
  private readonly nextFound: Int32Array;
  private readonly fromRoot = new Int32Array(256);
  /** The other edges, in a hash table; those of a state are a list from `firstSlots` on, of numbers one above their slots. */
  private readonly slotKeys: Int32Array;
  private readonly slotTargets: Int32Array;
  private readonly slotNexts: Int32Array;
  private readonly firstSlots: Int32Array;
  private readonly shift: number;
  /** Odd and secret, so that nobody can choose needles that collide. */
  private readonly multiplier = Math.floor(Math.random() * 2 ** 31) * 2 + 1;

  constructor(needles: readonly Needle[]) {
    const total = needles.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const states = STATES_PER_BYTE * total + 1;
    const slotBits = Math.max(4, Math.ceil(Math.log2(SLOTS_PER_BYTE * total + 1)));
    this.longest = needles.reduce((most, { bytes }) => Math.max(most, bytes.length), 0);
    this.links = new Int32Array(states);
    this.lengths = new Int32Array(states);
    this.partMins = new Int32Array(states).fill(WHOLE_ONLY);
    this.wholes = new Uint8Array(states);
    this.begins = new Uint8Array(states);
    this.nextFound = new Int32Array(states);
    this.firstSlots = new Int32Array(states);
    this.slotKeys = new Int32Array(2 ** slotBits).fill(-1);
    this.slotTargets = new Int32Array(2 ** slotBits);
    this.slotNexts = new Int32Array(2 ** slotBits);
    this.shift = 32 - slotBits;
    this.links[ROOT] = BEFORE_ROOT;
    for (const needle of needles) this.add(needle);
    this.settle();
  }

  get byteLength(): number {
    const perState = [
      this.links,
      this.lengths,
      this.partMins,
      this.wholes,
      this.begins,
      this.nextFound,
      this.firstSlots,
    ];
    const perSlot = [this.slotKeys, this.slotTargets, this.slotNexts];
    return [...perState, ...perSlot, this.fromRoot].reduce((sum, array) => sum + array.byteLength, 0);
  }

  read(cursor: Cursor, byte: number): void {
    let { state, length } = cursor;
    let next = this.target(state, byte);
    cursor.steps++;
    while (next === NONE && state !== ROOT) {
      state = at(this.links, state);
      length = at(this.lengths, state);
      next = this.target(state, byte);
      cursor.steps++;
    }
    cursor.state = next;
    cursor.length = next === NONE ? 0 : length + 1;
  }

  /** The length of the longest end of what was read that is to be found; 0 where there is none. */
  found(cursor: Cursor, standsAlone: (length: number) => boolean): number {
    let { state, length } = cursor;
    while (state !== ROOT) {
      if (length >= at(this.partMins, state)) return length;
      const whole = length === at(this.lengths, state) ? at(this.wholes, state) : 0;
      if (whole === WHOLE_ANYWHERE || (whole === WHOLE_ALONE && standsAlone(length))) return length;
      state = at(this.nextFound, at(this.links, state));
      length = at(this.lengths, state);
    }
    return 0;
  }

  /** The length of the longest end of what was read that begins a needle of which parts are found; 0 where it is under `lengthMin`. */
  beginning(cursor: Cursor, lengthMin: number): number {
    let { state, length } = cursor;
    while (length >= lengthMin && state !== ROOT) {
      if (length === at(this.lengths, state) && at(this.begins, state) === 1) return length;
      state = at(this.links, state);
      length = at(this.lengths, state);
    }
    return 0;
  }

  private add({ bytes, partMin, standsAlone }: Needle): void {
    let last = ROOT;
    for (const byte of bytes) {
      last = this.extend(last, byte);
      if (partMin >= WHOLE_ONLY) continue;
      this.partMins[last] = Math.min(at(this.partMins, last), partMin);
      this.begins[last] = 1;
    }
    if (at(this.wholes, last) !== WHOLE_ANYWHERE) this.wholes[last] = standsAlone ? WHOLE_ALONE : WHOLE_ANYWHERE;
  }

  /** The state of the needle's beginning that is one byte longer than that of `last`. */
  private extend(last: number, byte: number): number {
    const seen = this.target(last, byte);
    if (seen !== NONE) return this.stateOfLength(last, byte, seen);
    const made = this.states++;
    this.lengths[made] = at(this.lengths, last) + 1;
    let from = last;
    while (from !== BEFORE_ROOT && this.target(from, byte) === NONE) {
      this.setTarget(from, byte, made);
      from = at(this.links, from);
    }
    this.links[made] = from === BEFORE_ROOT ? ROOT : this.stateOfLength(from, byte, this.target(from, byte));
    return made;
  }

  /** `target`, to which the edge leads, or its copy for the shorter parts where it stands for longer ones too. */
  private stateOfLength(from: number, byte: number, target: number): number {
    const length = at(this.lengths, from) + 1;
    if (at(this.lengths, target) === length) return target;
    const copy = this.states++;
    this.lengths[copy] = length;
    for (let slot = at(this.firstSlots, target); slot !== 0; slot = at(this.slotNexts, slot - 1)) {
      this.setTarget(copy, at(this.slotKeys, slot - 1) & 0xff, at(this.slotTargets, slot - 1));
    }
    this.links[copy] = at(this.links, target);
    this.links[target] = copy;
    for (let back = from; back !== BEFORE_ROOT && this.target(back, byte) === target; back = at(this.links, back)) {
      this.setTarget(back, byte, copy);
    }
    return copy;
  }

  /** Passes `partMins` on to the shorter ends, from the longest state on, and then `nextFound` from the shortest on. */
  private settle(): void {
    const { lengths, links, partMins } = this;
    const byLength = Int32Array.from({ length: this.states - 1 }, (_, index) => index + 1);
    byLength.sort((left, right) => at(lengths, left) - at(lengths, right));
    for (let index = byLength.length - 1; index >= 0; index--) {
      const state = at(byLength, index);
      const link = at(links, state);
      partMins[link] = Math.min(at(partMins, link), at(partMins, state));
    }
    for (const state of byLength) {
      const isFound = at(lengths, state) >= at(partMins, state) || at(this.wholes, state) !== 0;
      this.nextFound[state] = isFound ? state : at(this.nextFound, at(links, state));
    }
  }

  private target(state: number, byte: number): number {
    return state === ROOT ? at(this.fromRoot, byte) : at(this.slotTargets, this.slotOf(state * 256 + byte));
  }

  private setTarget(state: number, byte: number, target: number): void {
    if (state === ROOT) {
      this.fromRoot[byte] = target;
      return;
    }
    const key = state * 256 + byte;
    const slot = this.slotOf(key);
    this.slotTargets[slot] = target;
    if (this.slotKeys[slot] === key) return;
    this.slotKeys[slot] = key;
    this.slotNexts[slot] = at(this.firstSlots, state);
    this.firstSlots[state] = slot + 1;
  }

  /** The slot of the key, or the free one where it belongs. */
  private slotOf(key: number): number {
    const mask = this.slotKeys.length - 1;
    let slot = Math.imul(key, this.multiplier) >>> this.shift;
    for (let found = at(this.slotKeys, slot); found !== key && found !== -1; found = at(this.slotKeys, slot)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }
}

function at(array: Int32Array | Uint8Array, index: number): number {
  return array[index] ?? 0;
}
