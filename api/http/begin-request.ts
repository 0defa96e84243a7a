import { newId } from '../../domain/ids.ts';
import type { HttpContext, HttpMiddleware } from './context.ts';
import { type NetworkSettings, observeOrigin } from './transport-security.ts';

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
