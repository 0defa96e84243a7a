import { LRUCache } from 'lru-cache';
import { networkOf } from '../../domain/address-ranges.ts';

/** What one network may ask of the documentation in a second: readers and agents take a few, a load test of the pages some thousands. */
const POINTS_PER_SECOND = 5_000;
/** A quiet network may take this many seconds at once. */
const SECONDS_SAVED_MAX = 2;
const NETWORKS_MAX = 10_000;

/** What a request costs: a page is sent from memory, a search computes for about a millisecond. */
export const POINTS = { page: 1, search: 25 } as const;

interface Account {
  points: number;
  at: number;
}

/** Bounds the work that one IPv4 address or IPv6 /64 causes. What is asked for is public, so there is no plan to count it on. */
export class NetworkBudget {
  readonly #accounts = new LRUCache<string, Account>({ max: NETWORKS_MAX });
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether the network of the address may do this; if so, it is counted. */
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
