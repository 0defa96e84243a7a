import type { HttpContext } from './context.ts';
import { isSecure } from './transport-security.ts';

/** `__Host-`: the browser keeps it only with Secure, Path=/ and no Domain, so no sibling host can plant one. */
const SECURE_NAME = '__Host-service-session';
const LOOPBACK_NAME = 'service-session';
const LOOPBACK_HOST = /^(localhost|([a-z0-9-]+\.)+localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\]|::1)$/i;

/**
 * False only on unencrypted loopback, where a browser would not send a Secure cookie. A request that a trusted proxy received
 * over TLS is never loopback, whatever Host the proxy passes on: many write the upstream's address there.
 */
export function needsSecureCookie(ctx: HttpContext): boolean {
  return isSecure(ctx) || !LOOPBACK_HOST.test(ctx.hostname);
}

/** The token of the session cookie, or null where the request has none. */
export function readSessionCookie(ctx: HttpContext): string | null {
  const wanted = needsSecureCookie(ctx) ? SECURE_NAME : LOOPBACK_NAME;
  for (const part of ctx.get('Cookie').split(';')) {
    const [name, ...value] = part.trim().split('=');
    if (name === wanted) return value.join('=');
  }
  return null;
}

/** A Set-Cookie that expires with the session; `null` removes the cookie. */
export function sessionCookie(session: { token: string; expiresAt: Date } | null, secure: boolean): string {
  const name = secure ? SECURE_NAME : LOOPBACK_NAME;
  const expires = session?.expiresAt ?? new Date(0);
  const parts = [
    `${name}=${session?.token ?? ''}`,
    'Path=/',
    `Expires=${expires.toUTCString()}`,
    'HttpOnly',
    'SameSite=Lax',
  ];
  return [...parts, ...(secure ? ['Secure'] : [])].join('; ');
}
