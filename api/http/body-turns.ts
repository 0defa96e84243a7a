import { Turns } from '../../domain/turns.ts';

/** Parsing, checking and digesting a body of this size takes about a millisecond of the event loop. */
export const LARGE_BODY_BYTES = 65_536;

export function isLargeBody(bytes: Uint8Array): boolean {
  return bytes.length >= LARGE_BODY_BYTES;
}

/**
 * Spreads work on large bodies over rounds of the event loop, one piece in each: twenty bodies that arrive at once would otherwise
 * be parsed and digested one after the other while every other request waits.
 */
export class BodyTurns {
  readonly #turns: Turns;

  constructor(later: (run: () => void) => void = (run) => setImmediate(run)) {
    this.#turns = new Turns(later);
  }

  /** Resolves when a body of this size may be worked on; at once where it is small. The turn ends at the caller's next `await`. */
  async take(owner: string, bytes: number): Promise<void> {
    if (bytes >= LARGE_BODY_BYTES) await this.#turns.take(owner);
  }
}
