import { LRUCache } from 'lru-cache';
import { networkOf } from '../../domain/address-ranges.ts';

const NETWORKS_MAX = 10_000;
const WINDOW_MS = 60_000;

/**
 * Counts what strangers of one network cause within a minute, in this process: each process gives out its own share. It bounds cost, and no
 * secret rests on it: passwords have the throttle of the sign-in.
 */
export class AddressThrottle {
  private readonly counts = new LRUCache<string, { used: number }>({ max: NETWORKS_MAX, ttl: WINDOW_MS });
  private readonly perMinute: number;

  constructor(perMinute: number) {
    this.perMinute = perMinute;
  }

  /** Counts one more, or says that the network has used its minute up. */
  admit(address: string): boolean {
    const network = networkOf(address);
    const count = this.counts.get(network) ?? { used: 0 };
    if (count.used >= this.perMinute) return false;
    count.used++;
    if (count.used === 1) this.counts.set(network, count);
    return true;
  }
}
