import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { canonicalAddress, isLoopback, type OwnEndpoint } from '../../../domain/own-endpoints.ts';
import { systemResolve, type Resolve } from './resolve.ts';

/**
 * The listeners of the service's own, which no call of a tenant reaches, whatever EGRESS_ALLOW lets through. What is compared
 * is the address and the port that would be dialled. A listener on this machine is looked for under every address of the
 * machine: it may listen on one of them alone, and which one is not asked.
 */
export class OwnEndpoints {
  private readonly endpoints: OwnEndpoint[];
  private readonly resolve: Resolve;
  /** Of names that were resolved before: a name server that is away opens no way. */
  private readonly known = new Map<string, readonly string[]>();

  constructor(endpoints: readonly OwnEndpoint[] = [], resolve: Resolve = systemResolve) {
    this.endpoints = [...endpoints];
    this.resolve = resolve;
  }

  add(...endpoints: readonly OwnEndpoint[]): void {
    this.endpoints.push(...endpoints);
  }

  /** True where one of the addresses of a host is, at this port, the service itself. */
  async include(hostname: string, addresses: readonly string[], port: number): Promise<boolean> {
    const called = canonical(addresses);
    for (const { host, port: ownPort } of this.endpoints) {
      if (ownPort !== null && ownPort !== port) continue;
      if (host.toLowerCase() === hostname.toLowerCase()) return true;
      const own = await this.addressesOf(host);
      if (called.some((address) => own.includes(address))) return true;
      if (own.some(isOfThisMachine) && called.some(isOfThisMachine)) return true;
    }
    return false;
  }

  private async addressesOf(host: string): Promise<readonly string[]> {
    if (isIP(host) > 0) return canonical([host]);
    try {
      const resolved = await this.resolve(host);
      this.known.set(host, canonical(resolved.map(({ address }) => address)));
    } catch (error) {
      // The last answer counts. Without one the name was never of use to the service itself either.
      if (!(error instanceof Error)) throw error;
    }
    return this.known.get(host) ?? [];
  }
}

function canonical(addresses: readonly string[]): string[] {
  return addresses.flatMap((address) => canonicalAddress(address) ?? []);
}

function isOfThisMachine(address: string): boolean {
  if (isLoopback(address)) return true;
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return own.some((each) => canonicalAddress(each.address) === address);
}
