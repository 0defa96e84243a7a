import { setTimeout as delay } from 'node:timers/promises';
import { type InFlightKind, LOOK_AGAIN_MS, type NoPlace } from '../domain/in-flight.ts';

/** The wait while another process asks for a place of the same workspace: its transaction takes some milliseconds. */
const RETRY_MS_MIN = 5;
const RETRY_MS_MAX = 50;
/** After this time the workflow waits in our place, because an activity holds a worker's slot while it waits. */
const TAKING_MS_MAX = 5_000;
/** The time after which a workflow asks again, if its activity had no turn to ask. */
const NO_TURN_LOOK_AGAIN_MS = 1_000;
/**
 * A call near the head of the queue waits in this process, because a place will likely be free at once, and a wait in its workflow
 * costs a signal and a second activity. After the first wait the call asks once more, because a release may not have seen it. After
 * the second it gives up its slot, unless it was told of a place.
 */
const NEAR_WAITS_MS = { untilAskedAgain: 250, untilLeft: 750 };

/** A workspace and a kind: its takers ask one at a time. */
type TakersOf = `${string}/${InFlightKind}`;

/** A taker's answer that it queues, at this position from 1. */
export class Queued {
  readonly position: number;

  constructor(position: number) {
    this.position = position;
  }
}

/** A taker of a place, and the number of places of its workspace. */
export interface Taker {
  workspaceId: string;
  kind: InFlightKind;
  holder: string;
  most: number;
}

/**
 * Lets the activities of one workspace ask for a place one at a time in this process. They wait in memory, in order, and hold
 * no connection: PostgreSQL admits one asking transaction of a workspace, and a crowd that waited for it there would use up the
 * pool of every other workspace. Between processes a taker that finds another one asking ends its transaction and tries again.
 */
export class LaneTakers {
  readonly #last = new Map<TakersOf, Promise<void>>();
  readonly #near = new Map<string, NearWait>();
  readonly #takingMsMax: number;
  readonly #nearWaitsMs: typeof NEAR_WAITS_MS | null;

  constructor({
    takingMsMax = TAKING_MS_MAX,
    nearWaitsMs = NEAR_WAITS_MS,
  }: { takingMsMax?: number; nearWaitsMs?: typeof NEAR_WAITS_MS | null } = {}) {
    this.#takingMsMax = takingMsMax;
    this.#nearWaitsMs = nearWaitsMs;
  }

  /**
   * Runs `take` when it is this taker's turn, and again while it answers null, which means that another process was asking. A
   * taker whose turn does not come, or that always finds others asking, has taken nothing and looks again soon. One that queues
   * within the first `most` positions waits here for a second, and holds its slot meanwhile: so a workspace holds no more slots
   * than twice its share. What `take` throws is thrown.
   */
  async inTurn<T>(taker: Taker, take: () => Promise<T | Queued | null>): Promise<T | NoPlace> {
    const near = new NearWait();
    const name = `${taker.kind}/${taker.holder}`;
    // Before the first ask: a grant that follows it at once must find us.
    this.#near.set(name, near);
    try {
      let answer = await this.#takeInTurn(taker, take);
      if (this.#nearWaitsMs !== null && answer instanceof Queued && answer.position <= taker.most) {
        await near.wait(this.#nearWaitsMs.untilAskedAgain);
        if (!near.isTold) answer = await this.#takeInTurn(taker, take);
        if (answer instanceof Queued) await near.wait(this.#nearWaitsMs.untilLeft);
      }
      // Also told since its last ask: nobody else is told of this place. It is granted, so that no turn to ask is needed.
      while (answer instanceof Queued && near.isTold) {
        near.isTold = false;
        answer = (await take()) ?? (await this.#takeInTurn(taker, take));
      }
      return answer instanceof Queued ? { seen: 'no_place', lookAgainMs: LOOK_AGAIN_MS } : answer;
    } finally {
      if (this.#near.get(name) === near) this.#near.delete(name);
    }
  }

  /** Tells a taker of this process that it was granted a place. False where it does not wait here: its workflow is to be told. */
  tell(kind: InFlightKind, holder: string): boolean {
    const near = this.#near.get(`${kind}/${holder}`);
    near?.tell();
    return near !== undefined;
  }

  async #takeInTurn<T>({ workspaceId, kind }: Taker, take: () => Promise<T | null>): Promise<T | NoPlace> {
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
      if (!(await endsBy(before, untilMs))) return { seen: 'no_place', lookAgainMs: NO_TURN_LOOK_AGAIN_MS };
      for (;;) {
        const taken = await take();
        if (taken !== null) return taken;
        if (performance.now() >= untilMs) return { seen: 'no_place', lookAgainMs: NO_TURN_LOOK_AGAIN_MS };
        await delay(RETRY_MS_MIN + Math.random() * (RETRY_MS_MAX - RETRY_MS_MIN));
      }
    } finally {
      endTurn();
    }
  }
}

/** The wait of one taker. */
class NearWait {
  /** A signal that comes before it waits ends its wait at once. */
  isTold = false;
  #wake: () => void = () => undefined;

  tell(): void {
    this.isTold = true;
    this.#wake();
  }

  async wait(waitMs: number): Promise<void> {
    if (this.isTold) return;
    const told = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await endsBy(told, performance.now() + waitMs);
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
