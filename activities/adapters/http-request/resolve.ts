import { lookup } from 'node:dns/promises';

export interface ResolvedAddress {
  address: string;
  family: number;
}

/** The signal says that nobody waits for the answer any longer. A look-up that has begun may still continue. */
export type Resolve = (hostname: string, signal?: AbortSignal) => Promise<ResolvedAddress[]>;

export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true });
