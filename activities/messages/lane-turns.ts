import { LRUCache } from 'lru-cache';
import type { Tenant } from '../../db/client.ts';

/** What a claim says about the messages that it left. */
export interface Left {
  /** As many were claimed as were asked for. */
  isFull: boolean;
  isLeft: boolean;
  isMore: boolean;
  nextInMs: number | null;
  lastLane: string;
}

/** A limit may be reached by another process, whose ends this one does not see. */
const LOOK_AGAIN_MS = 100;
const WAIT_MS_MAX = 60_000;
const ENVIRONMENTS_MAX = 10_000;

/** The turns of environments to claim their messages: each once, in order, and one claim of each at a time. */
export class LaneTurns {
  /** The next comes first. */
  readonly #waiting = new Map<string, Tenant>();
  readonly #claiming = new Set<string>();
  /** Environments with messages that a limit held back, by their workspace. */
  readonly #limited = new Map<string, Map<string, Tenant>>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #lanes = new LRUCache<string, string>({ max: ENVIRONMENTS_MAX });

  add({ workspaceId, environmentId }: Tenant): void {
    if (!this.#waiting.has(environmentId)) this.#waiting.set(environmentId, { workspaceId, environmentId });
  }

  /** The next environment, whose claim begins. Null when none waits. */
  next(): Tenant | null {
    for (const [environmentId, tenant] of this.#waiting) {
      if (this.#claiming.has(environmentId)) continue;
      this.#waiting.delete(environmentId);
      this.#claiming.add(environmentId);
      return tenant;
    }
    return null;
  }

  /** Begins a claim of this environment out of its turn, where a limit held messages back. False where one is under way. */
  beginLimited({ workspaceId, environmentId }: Tenant): boolean {
    if (this.#claiming.has(environmentId) || this.#limited.get(workspaceId)?.delete(environmentId) !== true)
      return false;
    this.#waiting.delete(environmentId);
    this.#claiming.add(environmentId);
    return true;
  }

  end({ environmentId }: Tenant): void {
    this.#claiming.delete(environmentId);
  }

  /** The lane behind which the environment's next claim begins. */
  laneOf({ environmentId }: Tenant): string {
    return this.#lanes.get(environmentId) ?? '';
  }

  /** Plans the next claim of the environment by what the last one left. */
  note(tenant: Tenant, { isFull, isLeft, isMore, nextInMs, lastLane }: Left, wake: () => void): void {
    this.#lanes.set(tenant.environmentId, lastLane);
    if (isFull || isMore) {
      this.add(tenant);
      return;
    }
    if (isLeft) {
      const limited = this.#limited.get(tenant.workspaceId) ?? new Map<string, Tenant>();
      this.#limited.set(tenant.workspaceId, limited.set(tenant.environmentId, tenant));
    }
    const waitMs = isLeft ? Math.min(LOOK_AGAIN_MS, nextInMs ?? LOOK_AGAIN_MS) : nextInMs;
    if (waitMs !== null) this.later(tenant, Math.min(WAIT_MS_MAX, Math.max(1, waitMs)), wake);
  }

  /** Calls `wake` then, in place of the call that was planned before: the last claim knows what all of its lanes wait for. */
  later({ environmentId }: Tenant, waitMs: number, wake: () => void): void {
    clearTimeout(this.#timers.get(environmentId));
    const timer = setTimeout(() => {
      this.#timers.delete(environmentId);
      wake();
    }, waitMs);
    this.#timers.set(environmentId, timer);
  }

  /** The environments of a workspace whose messages a limit held back. They are forgotten: their claims say what is left. */
  waitingFor(workspaceId: string): Tenant[] {
    const limited = this.#limited.get(workspaceId);
    this.#limited.delete(workspaceId);
    return [...(limited?.values() ?? [])];
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#waiting.clear();
  }
}
