import ipaddr from 'ipaddr.js';

/** A listener of the service's own: the API, Temporal, its UI, PostgreSQL. Nothing that a tenant defines may call it. */
export interface OwnEndpoint {
  /** A name or an address, IPv6 without brackets. */
  host: string;
  /** Null: every port of the host. */
  port: number | null;
}

const ENTRY = /^(?:\[(?<v6>[0-9a-fA-F:.]+)\]|(?<host>[^\s:/[\]]+))(?::(?<port>\d{1,5}))?$/;
const PORT_MAX = 65_535;

/** Reads `host`, `host:port`, `[v6]` or `[v6]:port`; null where it is none. */
export function parseOwnEndpoint(text: string): OwnEndpoint | null {
  const groups = ENTRY.exec(text)?.groups;
  if (groups === undefined) return null;
  const { v6, host = v6 ?? '', port } = groups;
  if (v6 !== undefined && !ipaddr.IPv6.isValid(v6)) return null;
  if (port === undefined) return { host, port: null };
  return Number(port) >= 1 && Number(port) <= PORT_MAX ? { host, port: Number(port) } : null;
}

const POSTGRES_PORT = 5432;

/** What the service's own settings say of where its parts listen. */
export function configuredEndpoints(settings: {
  DATABASE_URL: string | null;
  TEMPORAL_ADDRESS: string | null;
  OWN_ENDPOINTS: readonly OwnEndpoint[];
}): OwnEndpoint[] {
  const temporal = settings.TEMPORAL_ADDRESS === null ? [] : (parseOwnEndpoint(settings.TEMPORAL_ADDRESS) ?? []);
  const database = settings.DATABASE_URL === null ? [] : databaseEndpoints(settings.DATABASE_URL);
  return database.concat(temporal, settings.OWN_ENDPOINTS);
}

/** `?host=` and `?port=` count before what stands in the URL's own place; a path is a socket of the file system. */
export function databaseEndpoints(databaseUrl: string): OwnEndpoint[] {
  const { hostname, port, searchParams } = new URL(databaseUrl);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname).replace(/^\[|\]$/g, '');
  if (host === '' || host.startsWith('/')) return [];
  return [{ host, port: Number(searchParams.get('port') ?? port) || POSTGRES_PORT }];
}

const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');
const SIX_TO_FOUR = ipaddr.parseCIDR('2002::/16');

/** One spelling of an address: without a zone, and as IPv4 where an IPv6 address carries one. Null where it is none. */
export function canonicalAddress(text: string): string | null {
  const address = text.replace(/%.*$/, '');
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return null;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const bytes = parsed.toByteArray();
  if (parsed.isIPv4MappedAddress() || parsed.match(NAT64)) return new ipaddr.IPv4(bytes.slice(12)).toString();
  if (parsed.match(SIX_TO_FOUR)) return new ipaddr.IPv4(bytes.slice(2, 6)).toString();
  return parsed.toString();
}

/** True of what leads to this machine whatever its addresses are: the loopback, and the address that stands for all. */
export function isLoopback(canonical: string): boolean {
  const range = ipaddr.parse(canonical).range();
  return range === 'loopback' || range === 'unspecified' || canonical.startsWith('0.');
}
