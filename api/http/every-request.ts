import { newId } from '../../domain/ids.ts';
import { CLIENT_GONE_STATUS, isClientGone } from './client-gone.ts';
import type { HttpContext, HttpMiddleware, RequestState } from './context.ts';
import type { TLSSocket } from 'node:tls';
import type { AddressRanges } from '../../domain/address-ranges.ts';
import { ServiceError } from '../../domain/errors.ts';
import { originOf } from '../../domain/forwarding.ts';
import type { Logger } from 'pino';
import { ConnectionsByNetwork } from './http-server.ts';
import type { AnyRoute } from './define-route.ts';

/** What may be echoed and logged as it is. At most 128 characters (docs/api.md, "Request ids"). */
const SAFE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Headers of every response. A route or the reference page may replace its Content-Security-Policy and Cache-Control. */
const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** The first of all: gives the request its id, finds out where it came from, and sets the headers of every response. */
export function beginRequest(network: NetworkSettings): HttpMiddleware {
  return (ctx, next) => {
    const requestId = requestIdOf(ctx);
    ctx.state.requestId = requestId;
    ctx.set('X-Request-Id', requestId);
    observeOrigin(ctx, network);
    ctx.set(SECURITY_HEADERS);
    return next();
  };
}

/** The caller's where it is safe, else one of ours. */
function requestIdOf(ctx: HttpContext): string {
  const given = ctx.get('X-Request-Id');
  return SAFE_REQUEST_ID.test(given) ? given : newId('request');
}

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

/** One line for each request. It names the route and the ids that the
 * request touched, never the path or query that was sent: those can hold anything. */
export function logAccess(logger: Logger): HttpMiddleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    try {
      await next();
    } finally {
      const { requestId, route, caller, touched } = ctx.state;
      logger.info(
        {
          requestId,
          method: ctx.method,
          route: route?.path ?? null,
          status: isClientGone(ctx) ? CLIENT_GONE_STATUS : ctx.status,
          durationMs: Math.round(performance.now() - startedAt),
          ...callerFields(caller),
          ...touched,
        },
        'request',
      );
    }
  };
}

function callerFields(caller: RequestState['caller']): Record<string, string> {
  if (caller === undefined) return {};
  return {
    ...(caller.type === 'api_key' ? { keyId: caller.keyId } : { userId: caller.userId }),
    ...(caller.type === 'oauth' ? { connectedAppId: caller.grantId } : {}),
    ...('environment' in caller ? { environmentId: caller.environment.id } : {}),
    ...('workspaceId' in caller ? { workspaceId: caller.workspaceId } : {}),
  };
}

/** Each holds a connection, and a body of up to 64 KiB, until its request times out. */
export const STRANGERS_AN_ADDRESS_MAX = 200;

export interface BoundStrangersOptions {
  routes: readonly AnyRoute[];
  /** Other paths whose bodies are read before it is known who sends them: pages, OAuth, chat systems. */
  isOfStrangers(path: string): boolean;
}

/**
 * Bounds the connections of one IPv4 address or IPv6 /64 that send a body to a path which looks at no credential before: a stranger who
 * stalls uses their own share. The address is the client's behind a trusted proxy. Elsewhere the credential is looked at before the body,
 * and whoever has none is answered at once.
 */
export function boundStrangers({ routes, isOfStrangers }: BoundStrangersOptions): HttpMiddleware {
  const connections = new ConnectionsByNetwork(STRANGERS_AN_ADDRESS_MAX);
  const publicPaths = routes
    .filter(({ of, method }) => of === 'public' && method !== 'GET')
    .map(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`));
  return (ctx, next) => {
    const sendsBody = ctx.method !== 'GET' && ctx.method !== 'HEAD';
    if (!sendsBody || !(isOfStrangers(ctx.path) || publicPaths.some((path) => path.test(ctx.path)))) return next();
    const leave = connections.enter(clientAddress(ctx));
    if (leave === null) {
      // The rest of the body is not waited for.
      ctx.set('Connection', 'close');
      throw new ServiceError('SERVICE_UNAVAILABLE', {
        message: `${STRANGERS_AN_ADDRESS_MAX} requests from this network are being read. Try again when one of them has ended.`,
      });
    }
    ctx.res.once('close', leave);
    return next();
  };
}
