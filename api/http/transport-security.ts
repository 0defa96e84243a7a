import type { TLSSocket } from 'node:tls';
import type { AddressRanges } from '../../domain/address-ranges.ts';
import { ServiceError } from '../../domain/errors.ts';
import { originOf } from '../../domain/forwarding.ts';
import type { HttpContext, HttpMiddleware } from './context.ts';

/** How the service is reached from outside. */
export interface NetworkSettings {
  /** The origin that clients use, such as `https://api.example.com`; null: not configured. */
  publicUrl: string | null;
  /** The proxies whose forwarding headers are trusted. */
  trustedProxies: AddressRanges;
}

const HSTS_MAX_AGE_SECONDS = 31_536_000;

/** Determines where a request came from, before anything else needs it. Over TLS it sends Strict-Transport-Security. */
export function observeOrigin(ctx: HttpContext, { trustedProxies }: NetworkSettings): void {
  ctx.state.origin = originOf(
    {
      peerAddress: ctx.req.socket.remoteAddress ?? null,
      encrypted: 'encrypted' in ctx.req.socket && (ctx.req.socket as TLSSocket).encrypted,
      forwardedFor: ctx.get('X-Forwarded-For'),
      forwardedProto: ctx.get('X-Forwarded-Proto'),
      forwarded: ctx.get('Forwarded'),
    },
    trustedProxies,
  );
  // Browsers ignore the header on plain HTTP.
  if (ctx.state.origin.secure) {
    ctx.set('Strict-Transport-Security', `max-age=${HSTS_MAX_AGE_SECONDS}; includeSubDomains`);
  }
}

/**
 * Refuses an unencrypted request if the service is public over HTTPS: 403 HTTPS_REQUIRED, because its credential crossed the
 * network readably. A redirect would hide that. Health checks come before it: load balancers call them unencrypted.
 */
export function requireHttps({ publicUrl }: NetworkSettings): HttpMiddleware {
  const isRequired = publicUrl?.startsWith('https://') === true;
  return (ctx, next) => {
    if (isRequired && !ctx.state.origin.secure) {
      throw new ServiceError('HTTPS_REQUIRED', {
        message: `Use ${publicUrl}. This request came in clear: replace the credential that it carried.`,
      });
    }
    return next();
  };
}

/** The address to throttle for a request: the client's, as far as it can be trusted. */
export function clientAddress(ctx: HttpContext): string {
  return ctx.state.origin.clientAddress ?? 'unknown';
}

/** Whether the client sent the request over TLS. */
export function isSecure(ctx: HttpContext): boolean {
  return ctx.state.origin.secure;
}
