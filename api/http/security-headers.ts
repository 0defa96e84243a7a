import type { HttpMiddleware } from './context.ts';

/** Headers of every response. A route or the reference page may replace its Content-Security-Policy and Cache-Control. */
export const setSecurityHeaders: HttpMiddleware = async (ctx, next) => {
  ctx.set({
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  });
  await next();
};
