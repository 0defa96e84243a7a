import { LRUCache } from 'lru-cache';
import { networkOf } from '../../domain/address-ranges.ts';

/** A reader or agent uses a few points a second, a load test thousands. */
const POINTS_PER_SECOND = 5_000;
/** Burst of a quiet network. */
const SECONDS_SAVED_MAX = 2;
const NETWORKS_MAX = 10_000;

/** A page is sent from memory; a search computes for about a millisecond. */
export const POINTS = { page: 1, search: 25 } as const;

interface Account {
  points: number;
  at: number;
}

/** Bounds the work of one IPv4 address or IPv6 /64: the documentation is public, so no plan counts it. */
export class NetworkBudget {
  readonly #accounts = new LRUCache<string, Account>({ max: NETWORKS_MAX });
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts the request and returns true, or returns false when the budget is used up. */
  take(address: string, points: number): boolean {
    const network = networkOf(address);
    const now = this.#now();
    const most = POINTS_PER_SECOND * SECONDS_SAVED_MAX;
    const account = this.#accounts.get(network) ?? { points: most, at: now };
    account.points = Math.min(most, account.points + ((now - account.at) / 1_000) * POINTS_PER_SECOND);
    account.at = now;
    this.#accounts.set(network, account);
    if (account.points < points) return false;
    account.points -= points;
    return true;
  }
}
