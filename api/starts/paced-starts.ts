import type { Tenant } from '../../db/client.ts';
import { MESSAGES_PER_REQUEST_MAX } from '../../domain/messages/messages.ts';

/**
 * Starts of one workspace's deliveries that a process has under way at Temporal. A thousand at once outlasted their time-out there, and
 * their messages waited for the sweep.
 */
const STARTS_UNDER_WAY_MAX = 50;

/** Hands ids of an environment, of messages or of flow-control keys, to the function that starts their work. */
type HandOver = (ids: string[]) => Promise<void>;

interface Collected {
  ids: string[];
  /** Hands them over now, without waiting for the call before it. */
  send: () => void;
  /** Settles with the call that hands them over. */
  handed: Promise<void>;
}

/**
 * Starts deliveries from this process, a limited number at a time. Ids that come while those are under way are collected, and handed over
 * many in one call. A crash loses the collected ids; the sweep starts their deliveries.
 */
export class PacedStarts {
  readonly #underWay = new Map<string, number>();
  readonly #open = new Map<string, Collected>();
  readonly #last = new Map<string, Promise<void>>();
  readonly #underWayMax: number;

  constructor({ underWayMax = STARTS_UNDER_WAY_MAX }: { underWayMax?: number } = {}) {
    this.#underWayMax = underWayMax;
  }

  /** Whether as many starts of the workspace are under way as may be. */
  isBusy(workspaceId: string): boolean {
    return (this.#underWay.get(workspaceId) ?? 0) >= this.#underWayMax;
  }

  /** Runs one start, and counts it until it ends. */
  async start(workspaceId: string, start: () => Promise<void>): Promise<void> {
    this.#count(workspaceId, 1);
    try {
      await start();
    } finally {
      this.#count(workspaceId, -1);
    }
  }

  /**
   * Ids that come while a call of their environment is under way are collected for the next call; a full collection does not wait for it.
   * So nobody waits longer than for the call before and their own. Rejects as the call does.
   */
  handOver(
    what: 'messages' | 'keys',
    { environmentId }: Tenant,
    ids: readonly string[],
    call: HandOver,
  ): Promise<void> {
    const name = `${what}/${environmentId}`;
    const open = this.#open.get(name);
    if (open !== undefined && open.ids.length + ids.length <= MESSAGES_PER_REQUEST_MAX) {
      open.ids.push(...ids);
      return open.handed;
    }
    open?.send();
    return this.#collect(name, ids, call);
  }

  #collect(name: string, ids: readonly string[], call: HandOver): Promise<void> {
    const collected: Collected = { ids: [...ids], send: () => undefined, handed: Promise.resolve() };
    const isFull = new Promise<void>((resolve) => {
      collected.send = resolve;
    });
    const hand = (): Promise<void> => {
      if (this.#open.get(name) === collected) this.#open.delete(name);
      return call(collected.ids);
    };
    // However the call before it ended.
    collected.handed = Promise.race([this.#last.get(name), isFull]).then(hand, hand);
    this.#open.set(name, collected);
    this.#last.set(name, collected.handed);
    const forget = (): void => {
      if (this.#last.get(name) === collected.handed) this.#last.delete(name);
    };
    collected.handed.then(forget, forget);
    return collected.handed;
  }

  #count(workspaceId: string, change: 1 | -1): void {
    const count = (this.#underWay.get(workspaceId) ?? 0) + change;
    if (count > 0) this.#underWay.set(workspaceId, count);
    else this.#underWay.delete(workspaceId);
  }
}
