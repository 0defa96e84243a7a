import { setTimeout as delay } from 'node:timers/promises';
import type { InFlightKind, NoPermit } from '../../domain/in-flight.ts';

/** Another process asks for a permit of the same workspace at this moment: its transaction takes some milliseconds. */
const RETRY_MS_MIN = 5;
const RETRY_MS_MAX = 50;
/** After this time the workflow waits in our place, because an activity holds a worker's slot while it waits. */
const TAKING_MS_MAX = 5_000;
/** Until the workflow asks again. */
const LOOK_AGAIN_MS = 1_000;

/** A workspace and a kind: its takers ask one at a time. */
type TakersOf = `${string}/${InFlightKind}`;

/**
 * Lets the activities of one workspace ask for a permit one at a time in this process. They wait in memory, in order, and hold
 * no connection: PostgreSQL admits one asking transaction of a workspace, and a crowd that waited for it there would use up the
 * pool of every other workspace. Between processes a taker that finds another one asking ends its transaction and tries again.
 */
export class PermitTakers {
  readonly #last = new Map<TakersOf, Promise<void>>();
  readonly #takingMsMax: number;

  constructor({ takingMsMax = TAKING_MS_MAX }: { takingMsMax?: number } = {}) {
    this.#takingMsMax = takingMsMax;
  }

  /**
   * Runs `take` when it is this taker's turn, and again while it answers null, which means that another process was asking. A
   * taker whose turn does not come, or that always finds others asking, has taken nothing and looks again soon. What `take`
   * throws is thrown.
   */
  async inTurn<T>(workspaceId: string, kind: InFlightKind, take: () => Promise<T | null>): Promise<T | NoPermit> {
    const takers: TakersOf = `${workspaceId}/${kind}`;
    const untilMs = performance.now() + this.#takingMsMax;
    const before = this.#last.get(takers) ?? Promise.resolve();
    let endTurn: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => {
      endTurn = resolve;
    });
    // The turn of the next taker comes after ours and after all that were before us, even where we gave up waiting.
    const mine = Promise.all([before, turn]).then(() => undefined);
    this.#last.set(takers, mine);
    void mine.then(() => {
      if (this.#last.get(takers) === mine) this.#last.delete(takers);
    });
    try {
      if (!(await endsBy(before, untilMs))) return { seen: 'no_permit', lookAgainMs: LOOK_AGAIN_MS };
      for (;;) {
        const taken = await take();
        if (taken !== null) return taken;
        if (performance.now() >= untilMs) return { seen: 'no_permit', lookAgainMs: LOOK_AGAIN_MS };
        await delay(RETRY_MS_MIN + Math.random() * (RETRY_MS_MAX - RETRY_MS_MIN));
      }
    } finally {
      endTurn();
    }
  }
}

async function endsBy(promise: Promise<void>, untilMs: number): Promise<boolean> {
  const stop = new AbortController();
  const late = delay(Math.max(0, untilMs - performance.now()), false, { signal: stop.signal }).catch(() => false);
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    stop.abort();
  }
}
