import type { Tenant } from '../../db/client.ts';
import { MESSAGES_PER_REQUEST_MAX } from '../../domain/messages/messages.ts';

/**
 * Starts of one workspace's deliveries that a process has under way at Temporal. A thousand at once outlasted their time-out there, and
 * their messages waited for the sweep.
 */
const STARTS_UNDER_WAY_MAX = 50;

/** Hands messages of an environment to a workflow that starts theirs. */
type HandOver = (messageIds: string[]) => Promise<void>;

interface Collected {
  messageIds: string[];
  /** Settles with the call that hands them over. */
  handed: Promise<void>;
}

/**
 * The starts of deliveries by this process. It starts some by itself. What comes while those are under way is collected, and handed over by
 * one call for many: the workflow that takes it lets them queue for permits. A crash loses what was collected; the sweep starts it.
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

  /** One call of an environment at a time: what comes meanwhile is the next one's. Rejects as the call does. */
  handOver({ environmentId }: Tenant, messageIds: readonly string[], handOver: HandOver): Promise<void> {
    const open = this.#open.get(environmentId);
    if (open !== undefined && open.messageIds.length + messageIds.length <= MESSAGES_PER_REQUEST_MAX) {
      open.messageIds.push(...messageIds);
      return open.handed;
    }
    const collected: Collected = { messageIds: [...messageIds], handed: Promise.resolve() };
    collected.handed = this.#behind(environmentId, () => {
      if (this.#open.get(environmentId) === collected) this.#open.delete(environmentId);
      return handOver(collected.messageIds);
    });
    this.#open.set(environmentId, collected);
    return collected.handed;
  }

  /** Runs `call` when the one before it has ended, however it ended. */
  #behind(environmentId: string, call: () => Promise<void>): Promise<void> {
    const before = this.#last.get(environmentId) ?? Promise.resolve();
    const mine = before.then(call, call);
    this.#last.set(environmentId, mine);
    const forget = (): void => {
      if (this.#last.get(environmentId) === mine) this.#last.delete(environmentId);
    };
    mine.then(forget, forget);
    return mine;
  }

  #count(workspaceId: string, change: 1 | -1): void {
    const count = (this.#underWay.get(workspaceId) ?? 0) + change;
    if (count > 0) this.#underWay.set(workspaceId, count);
    else this.#underWay.delete(workspaceId);
  }
}
