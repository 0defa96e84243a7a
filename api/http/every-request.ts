import { newId } from '../../domain/ids.ts';
import { CLIENT_GONE_STATUS, isClientGone } from './client-gone.ts';
import type { HttpContext, HttpMiddleware, RequestState } from './context.ts';
import type { TLSSocket } from 'node:tls';
import type { AddressRanges } from '../../domain/address-ranges.ts';
import { ServiceError } from '../../domain/errors.ts';
import { originOf } from '../../domain/forwarding.ts';
import type { Logger } from 'pino';
import { PROBE_PATHS } from './probe-paths.ts';
import { ConnectionsByNetwork } from './http-server.ts';
import type { AnyRoute } from './define-route.ts';

/** Safe to echo and log (docs/api.md, "Request ids"). */
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

/** The first middleware: sets the request's id, its origin and the headers of every response. */
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

function requestIdOf(ctx: HttpContext): string {
  const given = ctx.get('X-Request-Id');
  return SAFE_REQUEST_ID.test(given) ? given : newId('request');
}

export interface NetworkSettings {
  /** Public origin, such as `https://api.example.com`. Null when not configured. */
  publicUrl: string | null;
  trustedProxies: AddressRanges;
}

const HSTS_MAX_AGE_SECONDS = 31_536_000;

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
 * Refuses an unencrypted request to a service that is public over HTTPS with 403 HTTPS_REQUIRED: its credential crossed the network
 * readably, and a redirect would hide that. Health checks are answered earlier: load balancers call them unencrypted.
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

/** The client's address, for throttling. */
export function clientAddress(ctx: HttpContext): string {
  return ctx.state.origin.clientAddress ?? 'unknown';
}

export function isSecure(ctx: HttpContext): boolean {
  return ctx.state.origin.secure;
}

/** A request that was answered. `route` is the template of its path; null where no route took it. */
export interface AnsweredRequest {
  method: string;
  route: string | null;
  status: number;
  durationMs: number;
  isProbe: boolean;
}

/** One line a request, with the route and the touched ids but never the sent path or query: those can hold anything. */
export function logAccess(logger: Logger, onAnswer?: (request: AnsweredRequest) => void): HttpMiddleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    try {
      await next();
    } finally {
      const { requestId, route, caller, touched } = ctx.state;
      const answered = {
        method: ctx.method,
        route: route?.path ?? null,
        status: isClientGone(ctx) ? CLIENT_GONE_STATUS : ctx.status,
        durationMs: Math.round(performance.now() - startedAt),
      };
      logger.info({ requestId, ...answered, ...callerFields(caller), ...touched }, 'request');
      onAnswer?.({ ...answered, isProbe: PROBE_PATHS.has(ctx.path) });
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
  /** Other paths whose bodies are read before the sender is known: pages, OAuth, chat systems. */
  isOfStrangers(path: string): boolean;
}

/**
 * Bounds the connections of one IPv4 address or IPv6 /64 that send a body before any credential is checked, so that a stalling stranger
 * uses only their own share. Behind a trusted proxy the address is the client's. Other paths check the credential before the body.
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
      ctx.set('Connection', 'close');
      throw new ServiceError('SERVICE_UNAVAILABLE', {
        message: `${STRANGERS_AN_ADDRESS_MAX} requests from this network are being read. Try again when one of them has ended.`,
      });
    }
    ctx.res.once('close', leave);
    return next();
  };
}
