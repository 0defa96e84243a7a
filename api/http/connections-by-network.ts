import { networkOf } from '../../domain/address-ranges.ts';

/** Counts open connections for each IPv4 address and each IPv6 /64: one client has a whole /64 to take addresses from. */
export class ConnectionsByNetwork {
  readonly #most: number;
  readonly #open = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts one more connection of the address. Returns what counts it out again; null where the network has too many. */
  enter(address: string): (() => void) | null {
    const network = networkOf(address);
    const open = this.#open.get(network) ?? 0;
    if (open >= this.#most) return null;
    this.#open.set(network, open + 1);
    return () => this.#leave(network);
  }

  #leave(network: string): void {
    const left = (this.#open.get(network) ?? 1) - 1;
    if (left === 0) this.#open.delete(network);
    else this.#open.set(network, left);
  }
}
