/** Why no slot was given: too much waits already, this one waited too long, or the service ends. */
export class NoSlotError extends Error {
  constructor(reason: string) {
    super(`no slot: ${reason}`);
    this.name = 'NoSlotError';
  }
}

const ENDED = 'whoever waited has ended';
const TOO_MANY = 'too many wait';

export interface FairSlotsOptions {
  slots: number;
  /** Slots that one owner may hold: fewer than all, if there are several. */
  slotsAnOwnerMax: number;
  waitingMax: number;
  waitingAnOwnerMax: number;
  waitMsMax: number;
}

interface Owner {
  held: number;
  /** Ends a wait: `null` grants the slot, a text says why there is none. */
  waiting: ((refusal: string | null) => void)[];
}

/**
 * Slots that bound concurrent work. An owner holds a few at most. Waiting jobs take turns owner by owner, and first in, first out within
 * each, so that an owner with much work delays itself and not the others. If the maximum number waits, a new job replaces the newest
 * waiting job of the owner with the most, provided that this makes the two owners more equal.
 */
export class FairSlots {
  readonly #options: FairSlotsOptions;
  /** The next owner comes first. An owner that neither holds nor waits is not in the map. */
  readonly #owners = new Map<string, Owner>();
  #held = 0;
  #waiting = 0;
  #isClosed = false;

  constructor(options: FairSlotsOptions) {
    this.#options = options;
  }

  /** Runs the work at this owner's turn. The signal ends the wait, never the work. Throws NoSlotError. */
  async run<Result>(owner: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    await this.#take(owner, signal);
    try {
      // It may have been closed since the turn was given.
      if (this.#isClosed) throw new NoSlotError('closed');
      return await work();
    } finally {
      this.#leave(owner);
    }
  }

  /** Refuses all waiting and all later requests. */
  close(): void {
    this.#isClosed = true;
    for (const { waiting } of this.#owners.values()) for (const wake of waiting.splice(0)) wake('closed');
  }

  async #take(name: string, signal?: AbortSignal): Promise<void> {
    const { waitingMax, waitingAnOwnerMax, waitMsMax } = this.#options;
    if (this.#isClosed) throw new NoSlotError('closed');
    if (signal?.aborted === true) throw new NoSlotError(ENDED);
    const owner = this.#owners.get(name) ?? { held: 0, waiting: [] };
    if (owner.waiting.length === 0 && this.#hasRoomFor(owner)) {
      this.#hold(name, owner);
      return;
    }
    if (owner.waiting.length >= waitingAnOwnerMax) throw new NoSlotError(TOO_MANY);
    if (this.#waiting >= waitingMax && !this.#displacesFor(owner)) throw new NoSlotError(TOO_MANY);
    this.#owners.set(name, owner);
    this.#waiting++;
    const refusal = await new Promise<string | null>((resolve) => {
      const wake = (reason: string | null): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#waiting--;
        resolve(reason);
      };
      const giveUp = (reason: string): void => {
        owner.waiting.splice(owner.waiting.indexOf(wake), 1);
        this.#forgetIdle(name, owner);
        wake(reason);
      };
      const abort = (): void => giveUp(ENDED);
      const timer = setTimeout(() => giveUp('waited too long'), waitMsMax);
      signal?.addEventListener('abort', abort, { once: true });
      owner.waiting.push(wake);
    });
    if (refusal !== null) throw new NoSlotError(refusal);
  }

  #hasRoomFor(owner: Owner): boolean {
    return this.#held < this.#options.slots && owner.held < this.#options.slotsAnOwnerMax;
  }

  /**
   * Refuses the newest waiting job of the owner with the most (of several, whose turn comes last), so that a few owners
   * cannot fill the queue. The newcomer counts too: otherwise two owners would displace each other endlessly.
   */
  #displacesFor(newcomer: Owner): boolean {
    let most = newcomer;
    for (const owner of this.#owners.values()) if (owner.waiting.length >= most.waiting.length) most = owner;
    if (newcomer.waiting.length + 1 >= most.waiting.length) return false;
    most.waiting.pop()?.(TOO_MANY);
    return true;
  }

  /** An owner that got a slot goes to the end of the round, and again when it releases it: others may have come meanwhile. */
  #hold(name: string, owner: Owner): void {
    this.#held++;
    owner.held++;
    this.#moveToEnd(name, owner);
  }

  #moveToEnd(name: string, owner: Owner): void {
    this.#owners.delete(name);
    this.#owners.set(name, owner);
  }

  #leave(name: string): void {
    this.#held--;
    const owner = this.#owners.get(name);
    if (owner !== undefined) {
      owner.held--;
      this.#moveToEnd(name, owner);
      this.#forgetIdle(name, owner);
    }
    for (const [next, candidate] of this.#owners) {
      if (candidate.waiting.length === 0 || !this.#hasRoomFor(candidate)) continue;
      this.#hold(next, candidate);
      candidate.waiting.shift()?.(null);
      return;
    }
  }

  #forgetIdle(name: string, owner: Owner): void {
    if (owner.held === 0 && owner.waiting.length === 0) this.#owners.delete(name);
  }
}
