import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { canonicalAddress, isLoopback, type OwnEndpoint } from '../../../domain/own-endpoints.ts';
import { systemResolve, type Resolve } from './resolve.ts';

/** The service's own listeners, which no tenant's call reaches, under each address of this machine. */
export class OwnEndpoints {
  private readonly endpoints: OwnEndpoint[];
  private readonly resolve: Resolve;
  /** The last resolution of each name, so that an unreachable name server opens no hole. */
  private readonly known = new Map<string, readonly string[]>();

  constructor(endpoints: readonly OwnEndpoint[] = [], resolve: Resolve = systemResolve) {
    this.endpoints = [...endpoints];
    this.resolve = resolve;
  }

  add(...endpoints: readonly OwnEndpoint[]): void {
    this.endpoints.push(...endpoints);
  }

  /** True where the service itself listens on this port at one of the host's addresses. */
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
      // The last answer counts. A name that never resolved was of no use to the service itself either.
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
