import { isIP } from 'node:net';
import { ServiceError } from '../../domain/errors.ts';
import type { HttpContext } from '../http/context.ts';

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Refuses browser pages that are not ours, and names that an attacker may have pointed at this service (DNS rebinding: page and service
 * then look like one site). Known are the configured origins, the loopback, addresses, and names without a dot, which nobody outside can
 * register. Programs send no Origin.
 *
 * @throws {ServiceError} AUTHORIZATION_ERROR.
 */
export function requireKnownSite(ctx: HttpContext, origins: readonly string[]): void {
  const known = new Set(origins.flatMap((origin) => (URL.canParse(origin) ? [new URL(origin).hostname] : [])));
  const host = hostnameOf(`http://${ctx.get('Host')}`);
  if (host === null || !(known.has(host) || isPrivateName(host))) {
    throw refused('The Host header names no host of this service. Set PUBLIC_URL to the address that clients use.');
  }
  const origin = ctx.get('Origin');
  if (origin === '') return;
  const site = hostnameOf(origin);
  if (site !== null && (known.has(site) || (LOOPBACK_NAMES.has(site) && LOOPBACK_NAMES.has(host)))) return;
  throw refused('The Origin header names another site than this service.');
}

/** Returns null when the text is no address of a page, such as the opaque `null`. */
function hostnameOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { hostname } = new URL(address);
  return hostname === '' ? null : hostname;
}

function isPrivateName(host: string): boolean {
  return LOOPBACK_NAMES.has(host) || isIP(host.replace(/^\[|\]$/g, '')) !== 0 || !host.includes('.');
}

function refused(message: string): ServiceError {
  return new ServiceError('AUTHORIZATION_ERROR', { message });
}
