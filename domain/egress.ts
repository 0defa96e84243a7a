import ipaddr from 'ipaddr.js';
import { type AddressRanges, carriedV4, parseAddressRanges } from './address-ranges.ts';

/**
 * Which addresses the service may call: only plain public unicast. IPv6 is also checked by the IPv4 address it carries.
 * The rule: docs/adapters.md, "Where it may go". Source: the IANA special-purpose address registries.
 */
export type EgressAllow = AddressRanges;

/** What the embedded stack allows if EGRESS_ALLOW is not set. */
export const LOOPBACK_EGRESS = '127.0.0.0/8,::1/128';

/** All public IPv6 addresses are in this range (RFC 4291); the rest is special, reserved or unassigned. */
const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3');
/** Special ranges inside of public unicast that the parser's own table does not name. */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '3fff::/20', '5f00::/16'].map((range) => ipaddr.parseCIDR(range));
const METADATA_V4 = ['100.100.100.200', '168.63.129.16', '192.0.0.192'];

/** Parses EGRESS_ALLOW: addresses and CIDRs, comma-separated; an empty text allows nothing more. Throws an error that names the entry. */
export function parseEgressAllow(text: string | readonly string[]): EgressAllow {
  return parseAddressRanges(text);
}

/** Whether a connection to the address is forbidden. A text that is no address is blocked. */
export function isBlocked(address: string, allow: EgressAllow): boolean {
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return true;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4) return isBlockedV4(parsed, allow);
  // A mapped address is dialled as the IPv4 address that it carries.
  if (parsed.isIPv4MappedAddress()) return isBlockedV4(parsed.toIPv4Address(), allow);
  return isBlockedV6(parsed, allow);
}

function isListed(address: ipaddr.IPv4 | ipaddr.IPv6, allow: EgressAllow): boolean {
  return allow.some(([range, bits]) => address.kind() === range.kind() && address.match(range, bits));
}

function isBlockedV4(address: ipaddr.IPv4, allow: EgressAllow): boolean {
  if (isListed(address, allow)) return false;
  return address.range() !== 'unicast' || METADATA_V4.includes(address.toString());
}

function isBlockedV6(address: ipaddr.IPv6, allow: EgressAllow): boolean {
  if (isListed(address, allow)) return false;
  if (address.zoneId !== undefined) return true;
  const carried = carriedV4(address);
  if (carried !== null) return isBlockedV4(carried, allow);
  if (!address.match(GLOBAL_UNICAST_V6)) return true;
  return address.range() !== 'unicast' || SPECIAL_V6.some((range) => address.match(range));
}
