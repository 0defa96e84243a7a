import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type AddressRanges = readonly (readonly [Address, number])[];

const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');
const SIX_TO_FOUR = ipaddr.parseCIDR('2002::/16');

/** The IPv4 address that an IPv6 address leads to: a mapped one, one behind NAT64, or one of 6to4. Returns null when it carries none. */
export function carriedV4(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  const bytes = address.toByteArray();
  if (address.isIPv4MappedAddress() || address.match(NAT64)) return new ipaddr.IPv4(bytes.slice(12));
  return address.match(SIX_TO_FOUR) ? new ipaddr.IPv4(bytes.slice(2, 6)) : null;
}

/** Reads comma-separated addresses and CIDRs; an empty text gives none. Throws an error that names the invalid entry. */
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

export function isInRanges(address: string, ranges: AddressRanges): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && ranges.some(([range, bits]) => parsed.kind() === range.kind() && parsed.match(range, bits));
}

/** The canonical spelling of an address: IPv4-mapped IPv6 becomes IPv4, IPv6 is shortened. Returns null when the text is no address. */
export function normalAddress(text: string): string | null {
  return parseAddress(text)?.toString() ?? null;
}

const SUBSCRIBER_BITS = 64;

/** An address's key for counting: IPv4 itself, IPv6 by its /64, which one subscriber owns. Other texts as they are. */
export function networkOf(text: string): string {
  const address = parseAddress(text);
  if (address === null || address.kind() === 'ipv4') return address?.toString() ?? text;
  return prefixOf(address, SUBSCRIBER_BITS);
}

const SITE_BITS = 48;

/** The /48 of an IPv6 address: its holder has 65,536 networks of a subscriber. Null for IPv4, and for a text that is no address. */
export function siteOf(text: string): string | null {
  const address = parseAddress(text);
  return address === null || address.kind() === 'ipv4' ? null : prefixOf(address, SITE_BITS);
}

function prefixOf(address: Address, bits: number): string {
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${bits}`);
  return `${network.toString()}/${bits}`;
}

function parseAddress(text: string): Address | null {
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return null;
  return ipaddr.process(text);
}
