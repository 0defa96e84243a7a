import ipaddr from 'ipaddr.js';
import { carriedV4 } from './address-ranges.ts';

/** A listener of the service itself: the API, Temporal, its UI, PostgreSQL, its mail server. No request that a tenant defines may reach it. */
export interface OwnEndpoint {
  /** A name or an address, IPv6 without brackets. */
  host: string;
  /** Null stands for every port of the host. */
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

export function configuredEndpoints(settings: {
  DATABASE_URL: string | null;
  DATABASE_LISTEN_URL?: string | null;
  TEMPORAL_ADDRESS: string | null;
  SMTP_ADDRESS: string | null;
  /** Where the process has workers. */
  TEMPORAL_METRICS_ADDRESS?: string | null;
  OWN_ENDPOINTS: readonly OwnEndpoint[];
}): OwnEndpoint[] {
  const { TEMPORAL_METRICS_ADDRESS: metrics = null } = settings;
  const addresses = [settings.TEMPORAL_ADDRESS, settings.SMTP_ADDRESS, metrics];
  const named = addresses.flatMap((address) => (address === null ? [] : (parseOwnEndpoint(address) ?? [])));
  const urls = [settings.DATABASE_URL, settings.DATABASE_LISTEN_URL ?? null];
  const database = urls.flatMap((url) => (url === null ? [] : databaseEndpoints(url)));
  return database.concat(named, settings.OWN_ENDPOINTS);
}

/** A URL omits the default port of its scheme. */
export function portOf({ port, protocol }: Pick<URL, 'port' | 'protocol'>): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/** The listener that a URL of HTTP leads to. */
export function endpointOf(url: string): OwnEndpoint {
  const parsed = new URL(url);
  return { host: parsed.hostname.replace(/^\[|\]$/g, ''), port: portOf(parsed) };
}

/** `?host=` and `?port=` take precedence over the URL's own host and port; a path is a Unix socket. */
export function databaseEndpoints(databaseUrl: string): OwnEndpoint[] {
  const { hostname, port, searchParams } = new URL(databaseUrl);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname).replace(/^\[|\]$/g, '');
  if (host === '' || host.startsWith('/')) return [];
  return [{ host, port: Number(searchParams.get('port') ?? port) || POSTGRES_PORT }];
}

/** The canonical spelling of an address: without a zone, and IPv4 if an IPv6 address carries one. Returns null when the text is no address. */
export function canonicalAddress(text: string): string | null {
  const address = text.replace(/%.*$/, '');
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return null;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return (carriedV4(parsed) ?? parsed).toString();
}

/** Whether the address always leads to this machine: loopback, and the unspecified address. */
export function isLoopback(canonical: string): boolean {
  const range = ipaddr.parse(canonical).range();
  return range === 'loopback' || range === 'unspecified' || canonical.startsWith('0.');
}
