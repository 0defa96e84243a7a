import { LRUCache } from 'lru-cache';
import { networkOf } from '../../domain/address-ranges.ts';

const NETWORKS_MAX = 10_000;
const MINUTE_MS = 60_000;

export interface ThrottleOptions {
  windowMs?: number;
  /** The key under which an address is counted; null: it is not counted. */
  networkOf?: (address: string) => string | null;
}

/**
 * Counts what strangers of one network cause within a minute, or another window, in this process: each process gives out its own share. It
 * bounds cost, and no secret rests on it: passwords have the throttle of the sign-in.
 */
export class AddressThrottle {
  private readonly counts: LRUCache<string, { used: number }>;
  private readonly usedMax: number;
  private readonly networkOf: (address: string) => string | null;

  constructor(usedMax: number, options: ThrottleOptions = {}) {
    this.usedMax = usedMax;
    this.networkOf = options.networkOf ?? networkOf;
    this.counts = new LRUCache({ max: NETWORKS_MAX, ttl: options.windowMs ?? MINUTE_MS });
  }

  /** Counts one more, or says that the network has used its window up. */
  admit(address: string): boolean {
    const network = this.networkOf(address);
    if (network === null) return true;
    const count = this.counts.get(network) ?? { used: 0 };
    if (count.used >= this.usedMax) return false;
    count.used++;
    if (count.used === 1) this.counts.set(network, count);
    return true;
  }
}
