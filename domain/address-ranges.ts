import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type AddressRanges = readonly (readonly [Address, number])[];

/** Reads addresses and CIDRs, comma-separated; an empty text is none. Throws, naming the entry that is neither. */
export function parseAddressRanges(text: string | readonly string[]): AddressRanges {
  const entries = (typeof text === 'string' ? text.split(',') : text).map((entry) => entry.trim());
  return entries
    .filter((entry) => entry !== '')
    .map((entry) => {
      if (ipaddr.IPv4.isValidFourPartDecimal(entry)) return [ipaddr.parse(entry), 32] as const;
      if (ipaddr.IPv6.isValid(entry)) return [ipaddr.parse(entry), 128] as const;
      if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
      throw new Error(`"${entry}" is neither an IP address nor a CIDR`);
    });
}

/** Whether one of the ranges holds the address. What is no address is in none. */
export function isInRanges(address: string, ranges: AddressRanges): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && ranges.some(([range, bits]) => parsed.kind() === range.kind() && parsed.match(range, bits));
}

/** One spelling for each address: an IPv4 address in IPv6 is the IPv4 address, IPv6 is shortened. Null: it is none. */
export function normalAddress(text: string): string | null {
  return parseAddress(text)?.toString() ?? null;
}

const SUBSCRIBER_BITS = 64;

/**
 * Whom an address stands for when it is counted: an IPv4 address for itself, an IPv6 address for its /64, since a subscriber
 * has all 2^64 of it. An IPv4 address in IPv6 is the IPv4 address. Null: it is none.
 */
export function networkOf(text: string): string | null {
  const address = parseAddress(text);
  if (address === null || address.kind() === 'ipv4') return address?.toString() ?? null;
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${SUBSCRIBER_BITS}`);
  return `${network.toString()}/${SUBSCRIBER_BITS}`;
}

function parseAddress(text: string): Address | null {
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return null;
  return ipaddr.process(text);
}
